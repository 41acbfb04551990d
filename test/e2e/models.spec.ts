import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from '@playwright/test';
import { evolve, expect, goTo, offlineReady, openSamples, results, search, test } from './support/app.ts';
import { modelFolder, startHub } from './support/fake-hub.ts';
import { longerConfig, withLongerContext } from './support/longer-context.ts';
import { serveDist } from './support/static-server.ts';

const keptList = (page: Page) => page.getByRole('list', { name: 'Models in this browser' });

const folderInput = 'input[aria-label="The folder of a model"]';

/** Brings a tiny model in from its folder. */
async function importModel(page: Page, folder: string): Promise<void> {
  await page.locator(folderInput).setInputFiles(folder);
  await expect(keptList(page).getByRole('heading', { name: basename(folder) })).toBeVisible();
}

/** A model of the catalogue, so that the page knows how to use it. */
const writer = 'SmolLM2-135M-Instruct';

/** The tiny language model in the place of a large one: the same files, of other bytes. */
async function anotherCopy(folder: string): Promise<string> {
  const [from, to] = [modelFolder('tiny-generator'), join(folder, writer)];
  await mkdir(join(to, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json'])
    await copyFile(join(from, name), join(to, name));
  const weights = withLongerContext(await readFile(join(from, 'onnx/model.onnx')));
  await writeFile(join(to, 'onnx/model_quantized.onnx'), weights);
  await writeFile(join(to, 'config.json'), longerConfig(await readFile(join(from, 'config.json'), 'utf8')));
  await writeFile(join(to, 'generation_config.json'), '{"eos_token_id": 2}');
  return to;
}

test('a model comes from a hub, is paused, outlives the tab, goes on and is deleted', async ({ page }) => {
  const hub = await startHub('tiny-embedder');
  try {
    await openSamples(page);
    await goTo(page, 'Models');
    await expect(page.getByText('None yet.')).toBeVisible();
    await expect(page.getByRole('list', { name: 'Models to get' }).getByRole('listitem')).not.toHaveCount(0);
    expect(hub.asked, 'nothing is asked before a person asks for it').toEqual([]);

    const address = page.getByRole('textbox', { name: 'A name on the hub, or an address' });
    await address.fill('no address');
    await page.getByRole('button', { name: 'Look it up' }).click();
    await expect(page.getByRole('alert')).toContainText('is no address');
    await address.fill(`${hub.url}/someone/tiny-embedder/tree/main`);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await expect(page.getByText(/files, \d+ KB, from http:\/\/localhost/)).toBeVisible();
    expect(hub.asked).toHaveLength(1);

    hub.halt(5000);
    await page.getByRole('button', { name: /^Get \d+ KB$/ }).click();
    await expect(page.getByText(/^Fetching: [\d.]+ KB of/)).toBeVisible();
    await expect.poll(() => hub.asked.some((path) => path.endsWith('.onnx'))).toBe(true);
    await page.getByRole('button', { name: 'Pause' }).click();
    const goOn = page.getByRole('button', { name: 'Go on with tiny-embedder' });
    await expect(goOn).toBeVisible();
    await page.reload();
    await expect(goOn).toBeVisible();
    hub.halt(undefined);
    await goOn.click();
    await expect(keptList(page)).toContainText('every byte as its server declares');
    expect(hub.asked.at(-1), 'the rest alone is fetched').toMatch(/\.onnx bytes=\d+-$/);

    await page.getByRole('button', { name: 'Check tiny-embedder' }).click();
    await expect(page.getByText('every byte is as it came').first()).toBeVisible();
    await page.getByRole('button', { name: 'Delete tiny-embedder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('None yet.')).toBeVisible();
  } finally {
    await hub.close();
  }
});

test('files that are no model are refused with a reason, and nothing is kept', async ({ page }) => {
  await openSamples(page);
  await goTo(page, 'Models');
  await expect(page.getByText('None yet.')).toBeVisible();
  await page.locator('input[aria-label="Files of a model"]').setInputFiles({
    name: 'model.onnx',
    mimeType: '',
    buffer: Buffer.from('<!doctype html>'),
  });
  await expect(page.getByRole('alert')).toContainText('it is a web page');
  await expect(page.getByText('None yet.')).toBeVisible();
});

test('where there is no room a model is held until the tab is closed, and says so', async ({
  page,
  context,
}) => {
  const hub = await startHub('tiny-embedder');
  try {
    await openSamples(page);
    await goTo(page, 'Models');
    const session = await context.newCDPSession(page);
    // Less than what is here already: nothing more fits in, whatever the browser clears up meanwhile.
    const { origin } = new URL(page.url());
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
    await page
      .getByRole('textbox', { name: 'A name on the hub' })
      .fill(`${hub.url}/someone/tiny-embedder/tree/main`);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByRole('button', { name: /^Get \d+ KB$/ }).click();
    await expect(keptList(page)).toContainText('Until this tab is closed');
    await page.reload();
    await expect(page.getByText('None yet.')).toBeVisible();
  } finally {
    await hub.close();
  }
});

test('in airplane mode, after one load and with models kept, it opens, embeds, evolves with the model and searches', async ({
  page,
  context,
}, testInfo) => {
  test.setTimeout(180_000);
  const server = await serveDist();
  await page.goto(server.url);
  await offlineReady(page);
  await page.getByRole('button', { name: 'Try the sample notes' }).click();
  await expect(page.getByText(/^46 files brought in/).first()).toBeVisible();
  await goTo(page, 'Models');
  await importModel(page, modelFolder('tiny-embedder'));
  await page.locator(folderInput).setInputFiles(await anotherCopy(testInfo.outputPath('models')));
  await expect(page.getByRole('alert')).toContainText('It may be another copy of the model');
  await page.getByRole('button', { name: 'Keep it all the same' }).click();
  await expect(keptList(page).getByRole('heading', { name: writer })).toBeVisible();
  await expect(page.getByText(`${writer} is kept in this browser.`).first()).toBeVisible();

  await context.setOffline(true);
  await server.close();
  await page.reload();
  await goTo(page, 'Evolve');
  await page.getByLabel('Keys are written by').selectOption(`${writer}, kept here`);
  await expect(page.getByText('tiny-embedder, an embedder, judges')).toBeVisible();
  await page.getByLabel('At most').selectOption('1 minute');
  await evolve(page, '1', 80_000);
  const roles = page.getByRole('region', { name: 'Who played the roles' });
  await expect(roles).toContainText(`${writer}, in this browser`);
  await expect(roles).toContainText('tiny-embedder, an embedder');
  await goTo(page, 'Search');
  await search(page, 'nosebleed');
  await expect(results(page).first()).toContainText('Nosebleed');
});
