export type Theme = 'system' | 'light' | 'dark';

const NAME = 'palimpsest.theme';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const chosenTheme = (): Theme => {
  const kept = localStorage.getItem(NAME);
  return THEMES.find((theme) => theme === kept) ?? 'system';
};

/** Sets the attribute that the style sheet reads. Without it, the system's colour scheme applies. */
export const applyTheme = (theme: Theme = chosenTheme()): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, theme);
  applyTheme(theme);
  // Charts are drawn on a canvas, which CSS cannot restyle: this event makes them redraw.
  window.dispatchEvent(new Event('palimpsest:theme'));
};
