import type { Cancel, Scheduler } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider, TextWindow } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';

/** A model that is known but not loaded. */
export type UnopenedModel = Readonly<{
  version: EmbeddingVersion;
  languages?: readonly string[];
  open: () => Promise<EmbeddingProvider>;
  /** Does not load the model. */
  window: () => Promise<TextWindow>;
}>;

export type LazyProvider = EmbeddingProvider &
  Readonly<{
    loaded: () => boolean;
    /** Accepts no more calls, and resolves when those that are running are done and the model is closed. */
    retire: () => Promise<void>;
  }>;

/** A model in memory with the number of its running calls. */
type Opened = { readonly provider: Promise<EmbeddingProvider>; calls: number };

/**
 * Loads a model on first use, and closes it after `idleMs` milliseconds without a call. Calls never meet a model that is being closed:
 * only an idle one is, and a call that arrives meanwhile loads it again. A load that fails is tried again by the next call.
 */
export const lazyProvider = (model: UnopenedModel, idleMs: number, scheduler: Scheduler): LazyProvider => {
  let opened: Opened | undefined;
  let cancel: Cancel | undefined;
  let window: Promise<TextWindow> | undefined;
  let refusal: Unavailable | undefined;
  const closings = new Set<Promise<void>>();
  let onIdle: () => void = () => undefined;

  const unload = (one: Opened): Promise<void> => {
    if (opened === one) opened = undefined;
    const closing = one.provider.then(
      (provider) => provider.close(),
      () => undefined,
    );
    closings.add(closing);
    // An error is reported by `close` and `retire`, which wait for the same promise.
    void closing.then(
      () => closings.delete(closing),
      () => undefined,
    );
    return closing;
  };
  const use = (): Opened => {
    if (refusal !== undefined) throw refusal;
    cancel?.();
    opened ??= { provider: model.open(), calls: 0 };
    opened.calls++;
    return opened;
  };
  const release = (one: Opened): void => {
    if (--one.calls > 0) return;
    if (refusal !== undefined) return onIdle();
    if (opened === one) cancel = scheduler.after(idleMs, () => void unload(one).catch(() => undefined), { background: true });
  };
  const close = async (): Promise<void> => {
    cancel?.();
    refusal ??= new Unavailable(`the model ${model.version} is closed`);
    if (opened !== undefined) void unload(opened).catch(() => undefined);
    await Promise.all(closings);
  };

  return {
    version: model.version,
    ...(model.languages === undefined ? {} : { languages: model.languages }),
    window: () =>
      (window ??= model.window().catch((error: unknown) => {
        window = undefined;
        throw error;
      })),
    embed: async (texts, kind, signal) => {
      signal?.throwIfAborted();
      const one = use();
      try {
        const provider = await one.provider.catch((error: unknown) => {
          if (opened === one) opened = undefined;
          throw error;
        });
        return await provider.embed(texts, kind, signal);
      } finally {
        release(one);
      }
    },
    loaded: () => opened !== undefined,
    retire: async () => {
      refusal ??= new Unavailable(`the model ${model.version} was removed`, { forCallers: true });
      if (opened !== undefined && opened.calls > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      await close();
    },
    close,
  };
};
