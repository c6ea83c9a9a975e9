const whole = new Intl.NumberFormat('en');
const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

export const count = (value: number): string => whole.format(value);

/** `1 chunk`, `2 chunks`. */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** In powers of 1024, with at most three digits. */
export const bytes = (value: number): string => {
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
};

/** In the reader's own time zone, seconds included; the ISO form is in the `title` attribute. */
export const dateTime = (iso: string): string => {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

const medium = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In a sentence, in the reader's own time zone: `20 Nov 2026, 09:30:15`. */
export const momentText = (iso: string): string => {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : medium.format(date);
};

/** Milliseconds for people: `0.4 ms`, `12 ms`, `1.2 s`. */
export const milliseconds = (value: number): string => {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ms`;
};

export const score = (value: number): string => value.toFixed(4);

/** `72 %`, of a share from 0 to 1. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Shortens the id of a key; its first characters are enough to recognize it. */
export const actorText = (actor: string): string => actor.replace(/^(key:[0-9a-f]{8})-[0-9a-f-]{27}$/, '$1…');
