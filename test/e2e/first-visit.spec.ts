import {
  evolve,
  expect,
  goTo,
  openSamples,
  reader,
  results,
  search,
  searchBox,
  test,
  versionNote,
} from './support/app.ts';

const value = (text: string | null) => Number(text?.trim());

test('a newcomer brings in the samples, searches, evolves, sees numbers and keys, rolls back, and finds it all again', async ({
  page,
}) => {
  await openSamples(page);
  await expect(versionNote(page)).toHaveText('version 0');

  await search(page, 'sourdough starter');
  await expect(results(page).first()).toContainText('Keeping a sourdough starter');
  await expect(results(page).first().locator('mark').first()).toBeVisible();
  await expect(results(page).first()).toContainText('matched its own text');

  await evolve(page, '2');
  await expect(page.getByText('Rules only:')).toBeVisible();
  await expect(versionNote(page)).not.toHaveText('version 0');
  const quality = page.getByRole('region', { name: 'Quality on the judged searches' });
  await expect(quality).toContainText('30 judged searches');
  const before = value(await quality.getByTestId('before').textContent());
  const after = value(await quality.getByTestId('after').textContent());
  expect(before).toBeGreaterThan(0.4);
  expect(before).toBeLessThan(0.85);
  expect(after).toBeGreaterThanOrEqual(before - 0.005);

  const documents = page.getByRole('region', { name: 'Documents' });
  await expect(documents.getByRole('listitem').first()).toBeVisible();
  const accepted = documents.locator('.turn', { has: page.getByText('accepted', { exact: true }) }).first();
  const title = await accepted.getByRole('link').textContent();
  await accepted.getByRole('link').click();
  await expect(reader(page).getByRole('heading', { level: 2 })).toHaveText(title?.split(' › ')[0] ?? '');
  await expect(reader(page).getByText('Original key')).toBeVisible();
  await expect(reader(page).getByText('Generated key').first()).toBeVisible();
  await expect(
    reader(page)
      .getByText(/from .*, since version \d/)
      .first(),
  ).toBeVisible();
  await expect(reader(page).getByRole('list', { name: 'Verdict' }).first()).toContainText('Specificity');
  await expect(
    reader(page)
      .getByText(/Iteration \d/)
      .first(),
  ).toBeVisible();

  await goTo(page, 'Versions');
  await page.getByRole('button', { name: 'Roll back to version 0' }).click();
  await expect(page.getByText('The keys are those of version 0 again.')).toBeVisible();
  await expect(page.getByText('Rolled back to version 0')).toBeVisible();
  const rolledBack = await versionNote(page).textContent();
  await goTo(page, 'Quality');
  await expect(page.getByTestId('after')).toHaveText(await page.getByTestId('before').innerText());

  await page.reload();
  await expect(versionNote(page)).toHaveText(rolledBack ?? '');
  await expect(page.getByTestId('before'))
    .toHaveText(String(before).replace(/^0/, ''), { timeout: 20_000 })
    .catch(async () => {
      expect(value(await page.getByTestId('before').textContent())).toBeCloseTo(before, 3);
    });
  await goTo(page, 'Search');
  await search(page, 'sourdough starter');
  await expect(results(page).first()).toContainText('Keeping a sourdough starter');
});

test('a search has an address: links, reload and the back button bring it back', async ({ page }) => {
  await openSamples(page);
  await search(page, 'nosebleed');
  await results(page).first().click();
  await expect(reader(page)).toBeVisible();
  await page.reload();
  await expect(reader(page).getByRole('heading', { level: 2 })).toHaveText('Nosebleed');
  await expect(searchBox(page)).toHaveValue('nosebleed');
  await page.goBack();
  await expect(reader(page)).toHaveCount(0);
  await expect(results(page).first()).toContainText('Nosebleed');
});

test('opening a low result teaches, and the notice takes it back; the judged search that taught counts no more', async ({
  page,
}) => {
  await openSamples(page);
  await goTo(page, 'Quality');
  const quality = page.getByRole('region', { name: 'Quality on the judged searches' });
  await expect(quality).toContainText('nDCG@10 over 30 judged searches');
  await goTo(page, 'Search');
  await search(page, 'White film on pickles,  harmful or not');
  await expect(results(page).first()).toHaveAttribute('href', /q=White\+film.*not/);
  const ranks = await results(page).allInnerTexts();
  const at = ranks.findIndex((text, i) => i >= 3 && text.includes('Sauerkraut'));
  expect(at, 'a low result about sauerkraut').toBeGreaterThan(2);
  await results(page).nth(at).click();
  await expect(page.getByText(/^Learned: /)).toBeVisible();
  await expect(versionNote(page)).toHaveText('version 1');
  await goTo(page, 'Quality');
  await expect(quality).toContainText('nDCG@10 over 29 judged searches; 1 that you taught from left out');
  await expect(page.getByRole('region', { name: 'Taught from, not counted' })).toContainText(
    'white film on pickles',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(versionNote(page)).toHaveText('version 2');
  // The search itself stays known, and the next evolution looks at it.
  await expect(quality).toContainText('29 judged searches');
  await goTo(page, 'Versions');
  await expect(page.getByText('Taught by a click')).toBeVisible();
  await expect(page.getByText('Rolled back to version 0')).toBeVisible();
});
