import { evolve, expect, goTo, offlineReady, openSamples, results, search, test } from './support/app.ts';
import { serveDist } from './support/static-server.ts';

test('after the first load everything works without a network', async ({ page, context }) => {
  await page.goto('/');
  await offlineReady(page);
  await context.setOffline(true);
  await page.reload();
  await openSamples(page);
  await search(page, 'nosebleed');
  await expect(results(page).first()).toContainText('Nosebleed');
  await evolve(page);
  await page.reload();
  await goTo(page, 'Versions');
  await expect(page.getByText('Evolution, iteration 1')).toBeVisible();
});

test('a newer build waits until the person reloads', async ({ page }) => {
  const server = await serveDist();
  try {
    await page.goto(server.url);
    await offlineReady(page);
    const code = await (await page.request.get(`${server.url}sw.js`)).text();
    server.replace('/sw.js', code.replace(/version\\":\\"\w+/, 'version\\":\\"next'));
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await expect(page.getByText('A new version of this page is ready.')).toBeVisible();
    const reloaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Reload' }).click();
    await reloaded;
    expect(await page.evaluate(() => caches.keys())).toEqual(['self-index-shell-next']);
  } finally {
    await server.close();
  }
});
