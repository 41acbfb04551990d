/**
 * Pictures of the built app for the documentation: `npm run build && npx tsx test/e2e/screenshots.ts [FOLDER]`.
 * Without a folder the few that the documentation shows go to docs/screenshots; with one, every state in every form.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright';
import { chromiumLaunch } from '../../.ci/chromium.js';
import { reader, results, searchBox } from './support/app.ts';
import { modelFolder } from './support/fake-hub.ts';
import { serveDist } from './support/static-server.ts';

interface Form {
  readonly size: 'desktop' | 'phone';
  readonly scheme: 'light' | 'dark';
}

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const chosen = new Set([
  'welcome-phone-light',
  'results-desktop-light',
  'note-phone-dark',
  'keys-desktop-light',
  'evolved-desktop-light',
  'evolved-phone-dark',
  'quality-desktop-dark',
]);

/** Dismisses the notices: no picture is of something passing. */
async function quiet(page: Page): Promise<void> {
  const buttons = page.getByRole('button', { name: 'Dismiss' });
  while ((await buttons.count()) > 0) {
    await buttons
      .last()
      .click({ timeout: 1000 })
      .catch(() => undefined);
  }
}

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();

async function walk(page: Page, take: (state: string) => Promise<void>): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take('welcome');
  await page.getByRole('button', { name: 'Try the sample notes' }).click();
  await searchBox(page).waitFor();
  await page.getByText('For instance').waitFor();
  await take('search');
  // No judged search: opening its low result would teach, and flatter the numbers of the pictures that follow.
  await searchBox(page).fill('is the skin on top of sauerkraut mould');
  await results(page).first().waitFor();
  await take('results');
  await results(page).first().click();
  await reader(page).locator('.markdown').first().waitFor();
  await take('note');
  await page.goto('/#/search?q=xyzzyx');
  await page.getByText('No document holds any word of').waitFor();
  await take('nothing-found');
  await goTo(page, 'Evolve');
  await take('evolve');
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await page.getByText(/The index is at version/).waitFor();
  await page.getByTestId('after').waitFor();
  await take('evolved');
  await page.locator('.turn', { hasText: 'accepted' }).first().getByRole('link').click();
  await page.getByText('Original key').waitFor();
  await take('keys');
  await goTo(page, 'Quality');
  await take('quality');
  await goTo(page, 'Versions');
  await page.getByText('What it changed').last().click();
  await take('versions');
  await goTo(page, 'Models');
  await page.getByText('None yet.').waitFor();
  await take('models-none');
  await page.locator('input[aria-label="The folder of a model"]').setInputFiles(modelFolder('tiny-embedder'));
  await page.getByRole('list', { name: 'Models in this browser' }).waitFor();
  await take('models');
  await goTo(page, 'Notebook');
  const odd = { name: 'program.exe', mimeType: '', buffer: Buffer.from([0]) };
  await page.locator('input[multiple]:not([webkitdirectory])').setInputFiles(odd);
  await page.getByText('“program.exe”').waitFor();
  await take('notebook');
  await page.getByRole('button', { name: 'Delete everything' }).click();
  await take('deleting');
}

async function pictures(browser: Browser, url: string, form: Form, folder: string, all: boolean) {
  const { size, scheme } = form;
  const context = await browser.newContext({
    baseURL: url,
    viewport: sizes[size],
    colorScheme: scheme,
    reducedMotion: 'reduce',
    hasTouch: size === 'phone',
    isMobile: size === 'phone',
  });
  const page = await context.newPage();
  await page.goto('/');
  await walk(page, async (state) => {
    const name = `${state}-${size}-${scheme}`;
    if (!all && !chosen.has(name)) return;
    if (state !== 'deleting') await quiet(page);
    await page.screenshot({ path: `${folder}/${name}.png` });
    console.log(name);
  });
  await context.close();
}

const given = process.argv[2];
const folder = given ?? fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
mkdirSync(folder, { recursive: true });
const server = await serveDist();
const browser = await chromium.launch(chromiumLaunch());
try {
  for (const size of ['desktop', 'phone'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      await pictures(browser, server.url, { size, scheme }, folder, given !== undefined);
    }
  }
} finally {
  await browser.close();
  await server.close();
}
