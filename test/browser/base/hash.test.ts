import { expect, it } from 'vitest';
import { contentHash, sha256Hex } from '../../../src/base/hash.ts';

it('hashes as the platform does', async () => {
  const text = 'Châtelier 搜索';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  expect(sha256Hex(text)).toBe(hex);
});

it('hashes equal values alike, whatever the order of their keys', () => {
  expect(contentHash({ a: 1, b: [{ d: 1, c: 2 }] })).toBe(contentHash({ b: [{ c: 2, d: 1 }], a: 1 }));
  expect(self.crossOriginIsolated).toBe(true);
});
