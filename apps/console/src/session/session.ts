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

/** Who is signed in. Only below the sign-in, which is above every page. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in here');
  return session;
};

export const useClient = (): PalimpsestClient => useSession().client;
