import type { Page } from '@playwright/test';
import { expect, goTo, search, searchBox, test, versionNote, violations } from './support/app.ts';
import { manyRows } from './support/collection.ts';

const stop = (page: Page) => page.getByRole('button', { name: 'Stop and keep' });
const progress = (page: Page) => page.getByRole('region', { name: 'Progress of the evolution' });

/** Long enough that a test can look at it, or end it. */
async function startLongEvolution(page: Page, iterations: '3' | '5'): Promise<void> {
  await page.goto('/');
  await page
    .locator('input[multiple]:not([webkitdirectory])')
    .setInputFiles({ name: 'rows.jsonl', mimeType: '', buffer: manyRows(900) });
  await expect(searchBox(page)).toBeVisible({ timeout: 30_000 });
  await goTo(page, 'Evolve');
  await page.getByLabel('Iterations').selectOption(iterations);
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await expect(progress(page)).toContainText(/[1-9][\d,]* of [\d,]+/);
}

test('an evolution shows its progress, and axe finds nothing wrong with that', async ({ page }) => {
  await startLongEvolution(page, '5');
  await expect(progress(page)).toContainText(/iteration \d of 5/);
  await expect(progress(page)).toContainText('Calls');
  await expect(progress(page)).toContainText('Time left');
  await page.getByRole('heading', { name: 'Documents' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('search goes on while an evolution runs', async ({ page }) => {
  await startLongEvolution(page, '5');
  await page.keyboard.press('/');
  await expect(searchBox(page)).toBeFocused();
  await search(page, 'koritem');
});

test('what has passed is kept when an evolution is stopped', async ({ page }) => {
  await startLongEvolution(page, '5');
  await stop(page).click();
  await expect(page.getByRole('main').getByText('you stopped it').first()).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'Resume' })).toHaveCount(0);
  const kept = await versionNote(page).innerText();
  await page.reload();
  await expect(versionNote(page)).toHaveText(kept);
});

test('an evolution that the closed tab interrupted goes on where it was', async ({ page }) => {
  await startLongEvolution(page, '3');
  await page.reload();
  await expect(page.getByText(/An evolution was interrupted after \d iterations? of 3/)).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText(/The index is at version \d+/)).toBeVisible({ timeout: 50_000 });
  await expect(versionNote(page)).toHaveText('version 3');
});
