import { createContext, useContext } from 'react';
import type { CallerView, PalimpsestClient } from '@palimpsest/client';
import type { Rights } from './rights.ts';

export type Session = Readonly<{
  client: PalimpsestClient;
  caller: CallerView;
  rights: Rights;
  signOut: () => void;
}>;

export const SessionContext = createContext<Session | undefined>(undefined);

/** The current session. Only available below `SessionProvider`, which wraps every page. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession is called outside of SessionProvider');
  return session;
};

export const useClient = (): PalimpsestClient => useSession().client;
