/** `base`: WebAssembly SIMD. `relaxed`: with fused multiply-add and 8-bit dot products, where the machine has them. */
export type KernelFlavour = 'base' | 'relaxed';

/**
 * The compiled kernel. This is what plain Node runs, from the sources; Vite puts the binaries in its place
 * (.ci/kernel-wasm.js), so no page ever sees the compiler.
 */
export async function kernelBinary(flavour: KernelFlavour): Promise<Uint8Array<ArrayBuffer>> {
  const { compileKernel } = await import('../../.ci/kernel-wasm.js');
  return compileKernel(flavour);
}
