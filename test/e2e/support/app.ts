import { readFileSync } from 'node:fs';
import { test as base, expect, type BrowserContext, type Page } from '@playwright/test';

const axeSource = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** Everything that a page complained about. */
function listen(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
}

/** Tests whose pages must leave the console empty, in every tab. */
export const test = base.extend<{ complaints: string[] }>({
  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      context.on('page', (page) => listen(page, complaints));
      await use(complaints);
      expect(complaints, 'the console stays empty').toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };

export const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search your notes' });
export const results = (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('link');
export const reader = (page: Page) => page.getByRole('article');
export const versionNote = (page: Page) => page.getByRole('banner').getByText(/^version \d+$/);

/** First visit with the sample notes. */
export async function openSamples(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'Try the sample notes' }).click();
  await expect(searchBox(page)).toBeVisible();
  await expect(
    page.getByText(/^46 files brought in as \d+ documents with 30 judged searches\.$/).first(),
  ).toBeVisible();
}

export async function goTo(
  page: Page,
  name: 'Search' | 'Evolve' | 'Quality' | 'Versions' | 'Models' | 'Notebook',
) {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeAttached();
}

/** Runs one evolution from the page to its end. */
export async function evolve(page: Page, iterations = '1', timeout = 45_000): Promise<void> {
  await goTo(page, 'Evolve');
  await page.getByLabel('Iterations').selectOption(iterations);
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await expect(page.getByText(/The index is at version|Ended without a new version/)).toBeVisible({
    timeout,
  });
}

export async function search(page: Page, text: string): Promise<void> {
  await searchBox(page).fill(text);
  await expect(results(page).first()).toBeVisible();
}

export interface Violation {
  readonly rule: string;
  readonly impact: string;
  readonly at: readonly string[];
}

/** What axe finds wrong with the page as it stands. */
export async function violations(page: Page): Promise<Violation[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  return page.evaluate(`
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map((v) => ({ rule: v.id, impact: v.impact, at: v.nodes.map((node) => node.html.slice(0, 120) + ' ' + node.failureSummary) })))
  `);
}

/** Waits until the page's own files are in the service worker's cache. */
export async function offlineReady(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

export async function newTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto('/');
  await expect(searchBox(page)).toBeVisible();
  return page;
}
