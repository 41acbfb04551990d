import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The Chromium to use: Playwright's own where it is installed, else one of the system's; undefined where there is none. */
export function chromiumPath() {
  const own = process.env.CHROMIUM_PATH ?? chromium.executablePath();
  return existsSync(own) ? own : systemPaths.find((path) => existsSync(path));
}

/** Flags under which tests and benchmarks run: quiet on the network, and WebGPU on the CPU. */
const flags = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  // performance.measureUserAgentSpecificMemory answers at once, not at the next garbage collection.
  '--enable-blink-features=ForceEagerMeasureMemory',
];

/** Playwright launch options for headless Chromium; root needs the sandbox off. */
export function chromiumLaunch() {
  const root = process.getuid?.() === 0;
  return {
    executablePath: chromiumPath(),
    args: root ? ['--no-sandbox', ...flags] : flags,
  };
}
