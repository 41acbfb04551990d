import { messageOf } from '../base/errors.ts';

/** What is wrong with a file's bytes at first sight, if anything; 'page' for a web page under a model file's name. */
export function misfitOf(path: string, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'it is empty';
  if (looksLikePage(bytes)) return 'page';
  if (path.endsWith('.json')) {
    try {
      const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      return typeof value === 'object' && value !== null ? undefined : 'it holds no JSON object';
    } catch (error) {
      return `it is not JSON (${messageOf(error)})`;
    }
  }
  // An ONNX file is a protobuf message whose first field is the IR version.
  if (path.endsWith('.onnx') && bytes[0] !== 0x08) return 'it is not an ONNX model';
  if (path.endsWith('.gguf') && new TextDecoder().decode(bytes.subarray(0, 4)) !== 'GGUF')
    return 'it is not a GGUF model';
  return undefined;
}

/** Whether bytes begin as a web page does: no file of a model begins so. */
export function looksLikePage(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().startsWith('<');
}

/** Bytes at the beginning of a file that `misfitOf` looks at: of JSON all of them. */
export function bytesToSee(path: string): number {
  return path.endsWith('.json') ? Infinity : 64;
}
