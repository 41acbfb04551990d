import type { LaunchOptions } from 'playwright';

export function chromiumPath(): string | undefined;
export function chromiumLaunch(): Pick<LaunchOptions, 'executablePath' | 'args'>;
