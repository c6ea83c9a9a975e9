import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { PalimpsestClient, ProblemError } from '@palimpsest/client';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { askAgainAfter } from './passing.ts';
import { rightsOf } from './rights.ts';
import { SessionContext } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { forgetKey, keepKey, storedKey } from './stored-key.ts';

const NOT_KNOWN = 'The key is not known, or was revoked. Sign in with another one.';

/** Everything behind a key. A 401, wherever it comes from, leads back to the sign-in, which says why. */
export function SessionProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [key, setKey] = useState(() => storedKey(window));
  const [refusal, setRefusal] = useState<string>();
  const leave = useCallback((why?: string) => {
    forgetKey(window);
    setKey(undefined);
    setRefusal(why);
  }, []);
  const enter = (given: string): void => {
    keepKey(window, given);
    setRefusal(undefined);
    setKey(given);
  };
  if (key === undefined) return <SignIn refusal={refusal} onKey={enter} />;
  return <Behind key={key} apiKey={key} onLeave={leave}>{children}</Behind>;
}

type BehindProps = Readonly<{ apiKey: string; onLeave: (why?: string) => void; children: ReactNode }>;

/** One key, one client, one cache: nothing that one key has seen is left for the next. */
function Behind({ apiKey, onLeave, children }: BehindProps) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000, refetchInterval: ({ state }) => askAgainAfter(state.error) }, mutations: { retry: false } } }));
  const client = useMemo(() => {
    const send: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401) onLeave(NOT_KNOWN);
      return response;
    };
    // A page rather says that the server is busy than wait silently.
    return new PalimpsestClient({ url: window.location.origin, apiKey, fetch: send, retries: 1 });
  }, [apiKey, onLeave]);
  return (
    <QueryClientProvider client={queries}>
      <Known client={client} onLeave={onLeave}>{children}</Known>
    </QueryClientProvider>
  );
}

function Known({ client, onLeave, children }: Readonly<{ client: PalimpsestClient; onLeave: (why?: string) => void; children: ReactNode }>) {
  const { data: caller, error, refetch } = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => client.me({ signal }), staleTime: Infinity });
  const session = useMemo(() => caller && { client, caller, rights: rightsOf(caller), signOut: () => onLeave() }, [client, caller, onLeave]);
  if (session) return <SessionContext value={session}>{children}</SessionContext>;
  if (error === null || (error instanceof ProblemError && error.status === 401)) return <p className="opening" role="status">Opening…</p>;
  return (
    <main className="opening">
      <h1>Palimpsest</h1>
      <ProblemNotice error={error} />
      <p><button type="button" className="button" onClick={() => void refetch()}>Try again</button> <button type="button" className="button quiet" onClick={() => onLeave()}>Sign in with another key</button></p>
    </main>
  );
}
