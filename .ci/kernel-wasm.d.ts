import type { Plugin } from 'vite';

export function compileKernel(flavour: 'base' | 'relaxed'): Promise<Uint8Array<ArrayBuffer>>;
export function kernelWasm(): Plugin;
