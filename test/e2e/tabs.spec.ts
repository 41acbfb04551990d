import { expect, goTo, newTab, openSamples, results, search, test, versionNote } from './support/app.ts';

test('one tab evolves, the other is told and searches on; a second evolution is refused', async ({
  page,
  context,
}) => {
  await openSamples(page);
  const other = await newTab(context);

  // A writer's lock that is held elsewhere, for as long as the test wants it.
  await goTo(page, 'Evolve');
  await page.getByLabel('Iterations').selectOption('5');
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await expect(page.getByRole('button', { name: /Stop and keep/ })).toBeVisible();

  await goTo(other, 'Evolve');
  await expect(other.getByText(/Another tab (evolves this index now|made version)/).first()).toBeVisible();
  await expect(page.getByText('The index is at version')).toBeVisible({ timeout: 45_000 });
  const version = await versionNote(page).innerText();
  await expect(versionNote(other)).toHaveText(version);
  await expect(other.getByText(/Another tab made version \d+\./).first()).toBeVisible();
  await goTo(other, 'Search');
  await search(other, 'nosebleed');
  await expect(results(other).first()).toContainText('Nosebleed');
});
