import type { Page } from '@playwright/test';
import { qualifiedName } from '../../src/store/names.ts';
import { expect, goTo, newTab, openSamples, results, search, test, versionNote } from './support/app.ts';

/** Holds a lock for as long as the page is open. */
async function hold(page: Page, lock: string): Promise<void> {
  await page.evaluate(
    (name) =>
      new Promise<void>((held) => {
        void navigator.locks.request(name, () => {
          held();
          return new Promise(() => undefined);
        });
      }),
    lock,
  );
}

const heldLocks = (page: Page) =>
  page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name));

const evolveButton = (page: Page) => page.getByRole('button', { name: 'Evolve', exact: true });

test('one tab evolves, the other is told of each version and searches on', async ({ page, context }) => {
  await openSamples(page);
  const other = await newTab(context);
  await goTo(page, 'Evolve');
  await evolveButton(page).click();
  await expect(page.getByText('The index is at version')).toBeVisible({ timeout: 45_000 });
  await expect(versionNote(other)).toHaveText(await versionNote(page).innerText());
  await expect(other.getByText(/^Another tab made version \d+\./).first()).toBeVisible();
  await search(other, 'nosebleed');
  await expect(results(other).first()).toContainText('Nosebleed');
  await expect(page.getByText('Another tab made version')).toHaveCount(0);
});

test('a second evolution is refused with its sentence, and goes through once the first is gone', async ({
  page,
  context,
}) => {
  await openSamples(page);
  const other = await newTab(context);
  const lock = `${qualifiedName('notes')}/writer`;
  await hold(other, lock);
  await goTo(page, 'Evolve');
  await evolveButton(page).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('is being evolved in another tab');
  await expect(versionNote(page)).toHaveText('version 0');
  await other.close();
  // A browser frees the locks of a closed page a moment later.
  await expect.poll(() => heldLocks(page)).not.toContain(lock);
  await evolveButton(page).click();
  await expect(page.getByText('The index is at version')).toBeVisible({ timeout: 45_000 });
});

test('a tab says beforehand that another one evolves', async ({ page, context }) => {
  await openSamples(page);
  await hold(page, 'self-index/page/notes/evolving');
  const other = await newTab(context);
  await goTo(other, 'Evolve');
  await expect(other.getByText('Another tab evolves this index now.')).toBeVisible();
  await expect(evolveButton(other)).toBeDisabled();
  await page.close();
  await expect(evolveButton(other)).toBeEnabled();
});
