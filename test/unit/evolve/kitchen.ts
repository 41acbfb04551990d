/** Sixteen short notes whose words overlap, so that searches confuse them. */
export const kitchen = [
  [
    'bread',
    'Sourdough',
    'Let the dough rest in the cold for a night. A hot oven and steam give the loaf a thick crust.',
  ],
  ['pizza', 'Pizza', 'The dough is stretched by hand. A very hot stone bakes the crust in three minutes.'],
  ['yeast', 'Yeast', 'Dry yeast wakes in warm water. Too hot kills it. Sugar feeds it and the dough rises.'],
  ['stock', 'Stock', 'Bones, carrots and onions simmer for hours. Never boil it. Skim the foam and strain.'],
  [
    'knife',
    'Knives',
    'A sharp knife slips less than a blunt one. Hone it before use and grind it twice a year.',
  ],
  [
    'board',
    'Cutting boards',
    'Wood is kind to the knife. Plastic goes into the machine. Never cut raw chicken and salad on one board.',
  ],
  [
    'rice',
    'Rice',
    'Rinse it until the water runs clear. One part rice, one and a half parts water, lid on, no stirring.',
  ],
  [
    'beans',
    'Beans',
    'Soak dried beans overnight. Salt at the end. Red kidney beans must boil for ten minutes.',
  ],
  ['eggs', 'Eggs', 'Six minutes for a soft yolk, ten for a hard one. Old eggs peel better than fresh ones.'],
  [
    'pan',
    'Cast iron',
    'Oil it thinly and bake it upside down. Rust comes off with steel wool. No soap for days.',
  ],
  [
    'cheese',
    'Cheese',
    'Hard cheese keeps for weeks in paper. Soft cheese wants to be eaten. Mould on soft cheese is a loss.',
  ],
  [
    'herbs',
    'Herbs',
    'Basil hates the cold. Parsley stands in water like flowers. Dry thyme and rosemary in the shade.',
  ],
  [
    'freezer',
    'Freezing',
    'Cool food first, then freeze it flat. Label it with the date. Bread freezes well, salad does not.',
  ],
  ['oil', 'Oil', 'Olive oil smokes early. Use peanut oil for the hot pan. Keep all oil in the dark.'],
  ['scale', 'Scales', 'Weigh flour, do not scoop it. Baker’s percentages compare every part to the flour.'],
  [
    'coffee',
    'Coffee',
    'Grind just before you brew. Water at ninety-three degrees. Finer for espresso, coarser for the press.',
  ],
].map(([id, title, text]) => ({ id, title, text }));
