import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  expansionTerms,
  keyId,
  makeExpansionKey,
  makeGeneratedKey,
  makeOriginalKey,
} from '../../../src/keys/key-id.ts';
import { allKeys, textKeys } from '../../../src/keys/text-keys.ts';

describe('key ids', () => {
  it('are the document and 128 bits of SHA-256 of kind and text', () => {
    const digest = createHash('sha256').update('generated\u001fWie heißt das?').digest('hex');
    expect(keyId('notes/ä.md', 'generated', 'Wie heißt das?')).toBe(`notes/ä.md\u001f${digest.slice(0, 32)}`);
  });

  it('differ by document, kind and text, and by nothing else', () => {
    const origin = { by: 'reviser' } as const;
    const question = makeGeneratedKey('a', { text: ' how? ', form: 'question' }, origin);
    expect(makeGeneratedKey('a', { text: 'how?', form: 'text' }, { by: 'person' }).id).toBe(question.id);
    expect(makeGeneratedKey('b', { text: 'how?', form: 'question' }, origin).id).not.toBe(question.id);
    expect(makeOriginalKey({ id: 'a', text: 'how?' }).id).not.toBe(question.id);
  });
});

describe('keys of a document', () => {
  it('put the title before the text, where there is one', () => {
    expect(makeOriginalKey({ id: 'a', title: 'Title', text: 'Text' }).text).toBe('Title\nText');
    expect(makeOriginalKey({ id: 'a', title: '  ', text: 'Text' }).text).toBe('Text');
    expect(makeOriginalKey({ id: 'a', text: '' })).toMatchObject({ text: '', kind: 'original' });
  });

  it('give the terms of an expansion key back', () => {
    expect(expansionTerms(makeExpansionKey('a', ['zwei', '搜索']).text)).toEqual(['zwei', '搜索']);
    expect(expansionTerms(makeExpansionKey('a', []).text)).toEqual([]);
  });

  it('list the text keys original first, and the expansion key only among all keys', () => {
    const original = makeOriginalKey({ id: 'a', text: 'Text' });
    const generated = [makeGeneratedKey('a', { text: 'how?', form: 'question' }, { by: 'reviser' })];
    const expansion = makeExpansionKey('a', ['term']);
    expect(textKeys({ documentId: 'a', original, generated, expansion })).toEqual([original, ...generated]);
    expect(allKeys({ documentId: 'a', original, generated, expansion })).toEqual([
      original,
      ...generated,
      expansion,
    ]);
    expect(allKeys({ documentId: 'a', original, generated })).toEqual([original, ...generated]);
  });
});
