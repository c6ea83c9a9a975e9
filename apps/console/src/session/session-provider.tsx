import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { PalimpsestClient, ProblemError } from '@palimpsest/client';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { retryDelayOf } from './passing.ts';
import { rightsOf } from './rights.ts';
import { SessionContext } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { forgetKey, keepKey, storedKey } from './stored-key.ts';

const INVALID_KEY = 'This API key is not valid or was revoked. Sign in with another key.';

/** Everything that needs an API key. A 401 of any request leads back to the sign-in page, which shows the reason. */
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
  return (
    <KeySession key={key} apiKey={key} onLeave={leave}>
      {children}
    </KeySession>
  );
}

type KeySessionProps = Readonly<{ apiKey: string; onLeave: (why?: string) => void; children: ReactNode }>;

/** Each key has its own client and cache, so nothing that one key has read is left for the next. */
function KeySession({ apiKey, onLeave, children }: KeySessionProps) {
  const [queries] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { retry: false, staleTime: 2_000, refetchInterval: ({ state }) => retryDelayOf(state.error) },
          mutations: { retry: false },
        },
      }),
  );
  const client = useMemo(() => {
    const send: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401) onLeave(INVALID_KEY);
      return response;
    };
    // Few retries: a page should report that the server is busy rather than wait silently.
    return new PalimpsestClient({ url: window.location.origin, apiKey, fetch: send, retries: 1 });
  }, [apiKey, onLeave]);
  return (
    <QueryClientProvider client={queries}>
      <SignedIn client={client} onLeave={onLeave}>
        {children}
      </SignedIn>
    </QueryClientProvider>
  );
}

function SignedIn({
  client,
  onLeave,
  children,
}: Readonly<{ client: PalimpsestClient; onLeave: (why?: string) => void; children: ReactNode }>) {
  const {
    data: caller,
    error,
    refetch,
  } = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => client.me({ signal }), staleTime: Infinity });
  const session = useMemo(
    () => caller && { client, caller, rights: rightsOf(caller), signOut: () => onLeave() },
    [client, caller, onLeave],
  );
  if (session) return <SessionContext value={session}>{children}</SessionContext>;
  if (error === null || (error instanceof ProblemError && error.status === 401))
    return (
      <p className="opening" role="status">
        Signing in…
      </p>
    );
  return (
    <main className="opening">
      <h1>Palimpsest</h1>
      <ProblemNotice error={error} />
      <p>
        <button type="button" className="button" onClick={() => void refetch()}>
          Retry
        </button>{' '}
        <button type="button" className="button quiet" onClick={() => onLeave()}>
          Sign in with another key
        </button>
      </p>
    </main>
  );
}
