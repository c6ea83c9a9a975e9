import { fingerprintOf, lowestSimilarity, similarityTo } from '@palimpsest/contracts';
import type { Cancel, System } from '@palimpsest/foundation';
import { ModelChanged } from '@palimpsest/knowledge/errors';
import { CANARY_STRINGS, SAME_MODEL, type CanaryCheck, type ModelFingerprint } from '@palimpsest/knowledge/models';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';

/** How long queries rely on a check. Passages do not: a query has an effect on one answer only, a passage for as long as its document exists. */
const QUERIES_RELY_MS = 60_000;
/** A changed model is checked again after this time. */
const LOOK_AGAIN_MS = 10_000;

export type GuardedEmbeddings = EmbeddingProvider &
  Readonly<{
    /** @throws ModelChanged; errors of the model */
    verify: (signal?: AbortSignal) => Promise<CanaryCheck>;
    /** Why the model is not used: it changed under its name. */
    changed: () => string | undefined;
  }>;

export type Guard = Readonly<{
  known: () => ModelFingerprint | undefined;
  record: (fingerprint: ModelFingerprint) => Promise<ModelFingerprint>;
  /** The most texts in one request. */
  maxTexts: number;
  system: Pick<System, 'clock' | 'scheduler'>;
}>;

/**
 * A model behind an endpoint, which may be exchanged under its name at any time. Every request for passages contains one of the canary
 * strings, so that no vector of another model is returned, not even between two checks. A call is one request. Before the first passage
 * and, once a minute, before a query, all canary strings are compared.
 */
export const guardedEmbeddings = (provider: EmbeddingProvider, { known, record, maxTexts, system }: Guard): GuardedEmbeddings => {
  const { version } = provider;
  let changed: string | undefined;
  let verifiedAt: number | undefined;
  let checking: Promise<CanaryCheck> | undefined;
  let turn = 0;
  let cancel: Cancel | undefined;
  let closed = false;

  /** @throws ModelChanged */
  const judge = (lowest: number): CanaryCheck => {
    cancel?.();
    cancel = undefined;
    if (lowest >= SAME_MODEL) {
      changed = undefined;
      verifiedAt = system.clock.elapsed();
      return { strings: CANARY_STRINGS.length, lowest };
    }
    const error = new ModelChanged(
      version,
      `the vector of a canary string has a cosine of ${lowest.toFixed(3)} with the recorded one (the same model: at least ${SAME_MODEL})`,
    );
    changed = error.message;
    verifiedAt = undefined;
    lookAgain();
    throw error;
  };
  const lookAgain = (): void => {
    if (closed) return;
    cancel = system.scheduler.after(
      LOOK_AGAIN_MS,
      // An endpoint that is away says nothing about its model.
      () => void verify().catch((error: unknown) => (error instanceof ModelChanged ? undefined : lookAgain())),
      { background: true },
    );
  };
  const verify = async (signal?: AbortSignal): Promise<CanaryCheck> => {
    const vectors = (await provider.embed(CANARY_STRINGS, 'passage', signal)).map(({ vector }) => vector);
    return judge(lowestSimilarity(known() ?? (await record(fingerprintOf(vectors))), vectors));
  };
  /** One check for all calls that wait for it, so it must not end with one of them. */
  const together = (): Promise<CanaryCheck> => (checking ??= verify().finally(() => (checking = undefined)));
  /** One string that is the same does not contradict a check of all strings that ended meanwhile. */
  const judgeOne = (place: number, vector: Float32Array | undefined): void => {
    const cosine = similarityTo(known()?.[place], vector);
    if (cosine < SAME_MODEL || changed === undefined) judge(cosine);
  };

  return {
    ...provider,
    window: () => provider.window(),
    verify,
    changed: () => changed,
    embed: async (texts, kind, signal) => {
      if (texts.length === 0) return provider.embed(texts, kind, signal);
      if (kind === 'query') {
        const due = known() !== undefined && system.clock.elapsed() - (verifiedAt ?? -Infinity) >= QUERIES_RELY_MS;
        const check = due ? orAborted(together(), signal).catch(onlyIfChanged) : undefined;
        const [made] = await Promise.all([provider.embed(texts, kind, signal), check]);
        return made;
      }
      if (verifiedAt === undefined) await orAborted(together(), signal);
      const place = turn++ % CANARY_STRINGS.length;
      const canary = CANARY_STRINGS[place] ?? '';
      if (texts.length < maxTexts) {
        const made = await provider.embed([...texts, canary], kind, signal);
        judgeOne(place, made.at(-1)?.vector);
        return made.slice(0, -1);
      }
      const made = await provider.embed(texts, kind, signal);
      judgeOne(place, (await provider.embed([canary], kind, signal))[0]?.vector);
      return made;
    },
    close: async () => {
      closed = true;
      cancel?.();
      await provider.close();
    },
  };
};

/** Ends with the reason of the signal, while the work goes on. */
const orAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
};

/** The call itself reports an endpoint that fails. */
const onlyIfChanged = (error: unknown): void => {
  if (error instanceof ModelChanged) throw error;
};
