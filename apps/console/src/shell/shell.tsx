import { useState } from 'react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { useSession } from '../session/session.ts';
import { Mark } from './mark.tsx';
import { openPages } from './pages.ts';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.ts';

/** The frame of every page: navigation, theme and sign-out. */
export function Shell({ children }: Readonly<{ children: ReactNode }>) {
  const { caller, rights, signOut } = useSession();
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <div className="shell">
        <header className="rail">
          <p className="brand">
            <Mark /> Palimpsest
          </p>
          <nav aria-label="Pages">
            <ul>
              {openPages(rights).map(({ path, name, icon }) => (
                <li key={path}>
                  <NavLink to={path}>
                    <svg className="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
                      <path d={icon} />
                    </svg>
                    <span>{name}</span>
                  </NavLink>
                </li>
              ))}
            </ul>
          </nav>
          <div className="who">
            <p>
              <span className="name" title={caller.tenant}>
                {caller.user ?? caller.tenant}
              </span>{' '}
              <span className="muted">{caller.roles.join(', ')}</span>
            </p>
            <ThemeChoice />
            <button type="button" className="button quiet small" onClick={signOut}>
              Sign out
            </button>
          </div>
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}

const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (value: string): void => {
    const next = THEMES.find((known) => known === value) ?? 'system';
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <label className="theme">
      <span>Colours</span>
      <select value={theme} onChange={({ target }) => choose(target.value)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {NAMES[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
