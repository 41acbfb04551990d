import { expect, goTo, openSamples, test, violations } from './support/app.ts';
import { startScriptedEndpoint } from './harness/scripted-endpoint.ts';

test('a model at an address writes the keys by the act of a person alone, and the page says who judges', async ({
  page,
}) => {
  const endpoint = await startScriptedEndpoint();
  try {
    await openSamples(page);
    await goTo(page, 'Evolve');
    const writer = page.getByLabel('Keys are written by');
    await expect(writer).toHaveValue('rules');
    await expect(page.getByText('Texts leave this page.')).toHaveCount(0);
    await writer.selectOption('A model at an address');
    await expect(page.getByText('Texts leave this page.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Address' }).fill(endpoint.url);
    await page.getByRole('textbox', { name: 'Model' }).fill('scripted');
    await page.getByLabel('Key, if it wants one').fill('a secret');
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue(endpoint.url);
    await expect(page.getByLabel('Key, if it wants one')).toHaveValue('');
    expect(endpoint.ledger, 'nothing is asked before Evolve is pressed').toEqual([]);

    await page.getByRole('button', { name: 'Evolve', exact: true }).click();
    const roles = page.getByRole('region', { name: 'Who played the roles' });
    await expect(roles).toContainText(`scripted at ${new URL(endpoint.url).host}`);
    await expect(roles).toContainText('The same model writes and judges.');
    await expect.poll(() => endpoint.ledger.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Stop and keep' }).click();
    await expect(writer).toBeVisible({ timeout: 45_000 });

    const asked = endpoint.ledger.length;
    await writer.selectOption('Rules only');
    await page.getByLabel('Iterations').selectOption('1');
    await page.getByRole('button', { name: 'Evolve', exact: true }).click();
    await expect(roles).not.toContainText('scripted');
    await expect(roles.getByText('rules')).toHaveCount(4);
    await expect(page.getByText(/The index is at version/)).toBeVisible({ timeout: 45_000 });
    expect(endpoint.ledger).toHaveLength(asked);
    await page.reload();
    await expect(writer).toHaveValue('rules');
  } finally {
    await endpoint.close();
  }
});

test('an address that nobody answers is told, and rules go on', async ({ page, complaints }) => {
  await openSamples(page);
  await goTo(page, 'Evolve');
  await page.getByLabel('Keys are written by').selectOption('A model at an address');
  await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/v1');
  await page.getByRole('textbox', { name: 'Model' }).fill('none');
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await expect(
    page
      .getByRole('alert')
      .or(page.getByText(/you stopped it|Ended without/))
      .first(),
  ).toBeVisible({
    timeout: 80_000,
  });
  await page.getByLabel('Keys are written by').selectOption('Rules only');
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await expect(page.getByText(/The index is at version/)).toBeVisible({ timeout: 45_000 });
  // The browser itself complains about a connection that was refused.
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('ERR_')));
});
