import type { Page } from '@playwright/test';
import {
  evolve,
  expect,
  goTo,
  openSamples,
  reader,
  results,
  search,
  test,
  violations,
} from './support/app.ts';
import { modelFolder } from './support/fake-hub.ts';

const sizes = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
];

/** Colours are those of the scheme only after the next frame. */
const painted = async (scheme: string) => {
  while (!matchMedia(`(prefers-color-scheme: ${scheme})`).matches) await frame();
  await frame();
  function frame() {
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
};

/** Checks the state as it stands, light and dark, wide and narrow; nothing may be wider than the screen. */
async function check(page: Page, state: string): Promise<void> {
  for (const { name, width, height } of sizes) {
    await page.setViewportSize({ width, height });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${state}, ${name}: no sideways scrolling`).toBeLessThanOrEqual(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(painted, colorScheme);
      expect(await violations(page), `${state}, ${name}, ${colorScheme}`).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('axe finds nothing: welcome and search', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await check(page, 'welcome');
  await openSamples(page);
  await check(page, 'search, nothing typed');
  await search(page, 'kitchen scraps pile stinks');
  await check(page, 'results');
  await results(page).first().click();
  await expect(reader(page)).toBeVisible();
  await check(page, 'a note');
  await page.goto('/#/search?q=xyzzyx');
  await expect(page.getByText('No document holds any word of')).toBeVisible();
  await check(page, 'no result');
});

test('axe finds nothing: evolving and what came of it', async ({ page }) => {
  await openSamples(page);
  await goTo(page, 'Evolve');
  await check(page, 'before an evolution');
  await evolve(page);
  await check(page, 'after an evolution');
  await page.locator('.turn', { hasText: 'accepted' }).first().getByRole('link').click();
  await expect(reader(page).getByText('Original key')).toBeVisible();
  await check(page, 'keys of a document');
  await goTo(page, 'Quality');
  await check(page, 'quality');
  await goTo(page, 'Versions');
  await page.getByText('What it changed').first().click();
  await check(page, 'versions');
});

test('axe finds nothing: models', async ({ page }) => {
  await openSamples(page);
  await goTo(page, 'Models');
  await expect(page.getByText('None yet.')).toBeVisible();
  await check(page, 'no model kept');
  const files = page.locator('input[aria-label="Files of a model"]');
  await files.setInputFiles({ name: 'model.onnx', mimeType: '', buffer: Buffer.from('no') });
  await expect(page.getByRole('alert')).toContainText('it is not an ONNX model');
  await check(page, 'files that are no model');
  await page.locator('input[aria-label="The folder of a model"]').setInputFiles(modelFolder('tiny-embedder'));
  await expect(page.getByRole('list', { name: 'Models in this browser' })).toBeVisible();
  await check(page, 'a model kept');
  await page.getByRole('button', { name: 'Delete tiny-embedder' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await check(page, 'asking before deleting a model');
});

test('axe finds nothing: the notebook', async ({ page }) => {
  await openSamples(page);
  await goTo(page, 'Notebook');
  await page.locator('input[multiple]:not([webkitdirectory])').setInputFiles({
    name: 'program.exe',
    mimeType: '',
    buffer: Buffer.from([0, 1]),
  });
  await expect(page.getByText('“program.exe”')).toBeVisible();
  await check(page, 'notebook with a report');
  await page.getByRole('button', { name: 'Delete everything' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await check(page, 'asking before deleting');
});
