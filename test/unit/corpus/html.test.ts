import { expect, it } from 'vitest';
import { readFile } from '../../../src/corpus/read/read-file.ts';

const read = async (text: string) => (await readFile('p.html', text)).documents;

it('reads the main content, its headings and their addresses', async () => {
  const page = `<!doctype html><html><head><title>Site  title</title><style>p{color:red}</style></head>
    <body><nav><a href=/>Home</a></nav><main><h1>Page <em>one</em></h1><p>First   para.<br>Second&nbsp;line &amp; more.</p>
    <pre><code>def f():\n    return 1\n</code></pre><h2 id="SecTwo">Two</h2>
    <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
    <script>alert("x")</script></main><footer>Imprint</footer></body></html>`;
  expect((await read(page)).map(({ id, title, text }) => [id, title, text])).toEqual([
    ['p.html', 'Page one', 'First para.\nSecond line & more.\n\ndef f():\n    return 1'],
    ['p.html#SecTwo', 'Page one › Two', 'A | B\n1 | 2'],
  ]);
});

it('reads a page without main, leaving navigation out', async () => {
  const documents = await read(
    '<title>T</title><body><header><h1>Owls</h1>Log in</header><nav>Home</nav><p>Night birds.<aside>Ad</aside>',
  );
  expect(documents).toMatchObject([{ id: 'p.html', title: 'Owls', text: 'Night birds.' }]);
});

it.each([
  ['unclosed head', '<head><title>T</title><p>text', 'text'],
  ['unclosed nav', '<nav><p>text', 'text'],
  ['empty main', '<main></main><p>text', 'text'],
  ['stray ends', '</div></p><b>te</i>xt</b></main>', 'text'],
  ['unclosed comment in text', '<p>text<!-- never', 'text'],
  ['unclosed script', '<p>text<script>var x = "<p>no"', 'text'],
  ['attribute soup', '<p class="a" class=b \'"">text', 'text'],
  ['a fragment', 'text', 'text'],
])('takes what a browser would show of broken pages: %s', async (_, html, text) => {
  expect((await read(html)).map((document) => document.text)).toEqual([text]);
});

it('refuses endless nesting with the name of the file', async () => {
  await expect(read('<div>'.repeat(20_000))).rejects.toMatchObject({
    code: 'unreadable-file',
    message: expect.stringContaining('p.html') as string,
  });
});

it('reads large flat pages in linear time', { timeout: 20_000 }, async () => {
  for (const piece of ['<p>a', '<tr><td>a<td>b', '<span>a</span>', 'a<br>', '&amp;', '<!--', '<a x=1 ']) {
    await read(piece.repeat(20_000));
  }
});
