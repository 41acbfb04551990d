const counts = new Intl.NumberFormat('en');
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function count(value: number): string {
  return counts.format(value);
}

/** "1 note", "46 notes". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A measure between 0 and 1 as reports print it: ".587". */
export function measure(value: number): string {
  return value.toFixed(3).replace(/^(-?)0\./, '$1.');
}

/** A change of a measure with its sign; a true minus, so that it aligns with the plus. */
export function change(value: number): string {
  if (Math.abs(value) < 0.0005) return '±0';
  return `${value > 0 ? '+' : '−'}${measure(Math.abs(value))}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return 'under a second';
  if (seconds < 90) return plural(Math.round(seconds), 'second');
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? plural(minutes, 'minute') : `${(minutes / 60).toFixed(1)} hours`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(0)} KB`;
  if (value < 1e9) return `${(value / 1e6).toFixed(1)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

export function moment(at: number): string {
  return moments.format(at);
}
