export type Theme = 'system' | 'light' | 'dark';

const NAME = 'palimpsest.theme';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const chosenTheme = (): Theme => {
  const kept = localStorage.getItem(NAME);
  return THEMES.find((theme) => theme === kept) ?? 'system';
};

/** What the style sheet goes by: no attribute follows the system. */
export const applyTheme = (theme: Theme = chosenTheme()): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, theme);
  applyTheme(theme);
  // Charts are drawn, not styled: they are told.
  window.dispatchEvent(new Event('palimpsest:theme'));
};
