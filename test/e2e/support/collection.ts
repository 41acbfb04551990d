import { createRandom } from '../../../src/base/random.ts';

/** Rows enough that an evolution takes a while: texts of invented words, some shared by the rows of a subject. */
export function manyRows(count: number): Buffer {
  const random = createRandom('rows');
  const syllables = ['ba', 'ko', 'ri', 'tem', 'lus', 'den', 'fa', 'mi', 'gor', 'sel', 'pu', 'na'];
  const word = () => Array.from({ length: 3 }, () => syllables[random.integer(syllables.length)]).join('');
  const common = Array.from({ length: 300 }, word);
  const subjects = Array.from({ length: 40 }, () => Array.from({ length: 12 }, word));
  const lines = Array.from({ length: count }, (_, i) => {
    const subject = subjects[i % subjects.length];
    const words = Array.from({ length: 60 }, (_, k) =>
      k % 4 === 0 ? subject[random.integer(subject.length)] : common[random.integer(common.length)],
    );
    return JSON.stringify({ _id: `row-${i}`, title: `${word()} ${word()}`, text: `${words.join(' ')}.` });
  });
  return Buffer.from(lines.join('\n'));
}
