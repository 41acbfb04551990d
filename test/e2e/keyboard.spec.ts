import { expect, openSamples, reader, results, search, searchBox, test } from './support/app.ts';

test('the whole way by keyboard', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Try the sample notes' })).toBeVisible();
  await page.getByRole('button', { name: 'Try the sample notes' }).press('Enter');
  await expect(searchBox(page)).toBeFocused();

  await page.keyboard.type('burns');
  await expect(results(page).first()).toContainText('Burns');
  await page.keyboard.press('ArrowDown');
  await expect(results(page).first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(results(page).nth(1)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(reader(page).getByRole('heading', { level: 2 })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(reader(page)).toHaveCount(0);
  await expect(results(page).first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(searchBox(page)).toHaveValue('');

  await page.keyboard.type('nosebleed');
  await expect(results(page).first()).toContainText('Nosebleed');
  await page.keyboard.press('Enter');
  await expect(reader(page).getByRole('heading', { level: 2 })).toHaveText('Nosebleed');

  const evolve = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Evolve' });
  await evolve.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Evolve' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Keys are written by')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Evolve', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/The index is at version/)).toBeVisible({ timeout: 45_000 });

  await page.keyboard.press('/');
  await expect(searchBox(page)).toBeFocused();
});

test('ten results at first, more when asked for, and the focus on the first that is new', async ({
  page,
}) => {
  await openSamples(page);
  await search(page, 'water heat time');
  await expect(results(page)).toHaveCount(10);
  const more = page.getByRole('button', { name: 'More results' });
  await more.press('Enter');
  await expect(results(page).nth(10)).toBeFocused();
  await expect(more).toHaveCount(0);
  await search(page, 'water heat times');
  await expect(results(page)).toHaveCount(10);
});

test('whoever types fast has the results of the whole text, and an address that leads back to it', async ({
  page,
}) => {
  await openSamples(page);
  await searchBox(page).focus();
  await page.keyboard.type('nosebleed pinch the soft part');
  await expect(page.getByRole('region', { name: 'Search' })).toHaveAttribute(
    'data-answered',
    'nosebleed pinch the soft part',
  );
  await expect(results(page).first()).toContainText('Nosebleed');
  await results(page).first().click();
  await expect(reader(page)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/q=nosebleed\+pinch\+the\+soft\+part$/);
  await expect(searchBox(page)).toHaveValue('nosebleed pinch the soft part');
});

test('Enter before the answer opens the first result of the whole text', async ({ page }) => {
  await openSamples(page);
  await searchBox(page).focus();
  await page.evaluate(() => {
    const box = document.activeElement as HTMLInputElement;
    box.value = 'nosebleed';
    box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  });
  await expect(reader(page).getByRole('heading', { level: 2 })).toHaveText('Nosebleed');
});

test('half-composed text does not search', async ({ page }) => {
  await openSamples(page);
  await search(page, 'nosebleed');
  const shown = await results(page).first().innerText();
  await searchBox(page).evaluate((input: HTMLInputElement) => {
    const say = (type: string) => input.dispatchEvent(new CompositionEvent(type, { data: 'ㄕ' }));
    say('compositionstart');
    input.value = 'ㄕ';
    input.dispatchEvent(new InputEvent('input', { isComposing: true, data: 'ㄕ', bubbles: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }));
  });
  await expect(page).toHaveURL(/q=nosebleed/);
  expect(await results(page).first().innerText()).toBe(shown);
  await searchBox(page).evaluate((input: HTMLInputElement) => {
    input.value = '漢字';
    input.dispatchEvent(new CompositionEvent('compositionend', { data: '漢字' }));
  });
  await expect(page).toHaveURL(/q=%E6%BC%A2/);
});
