import { useEffect, useEffectEvent, useState } from 'react';
import type { FollowOptions } from '@palimpsest/client';
import { useVisible } from './use-visible.ts';

export type StreamState = 'off' | 'connecting' | 'live' | 'reconnecting';
type Open<Told> = (options: FollowOptions) => AsyncIterable<Told>;
type Options<Told> = Readonly<{
  on?: boolean;
  /** A stream of another key is another stream. */
  of: string;
  open: Open<Told>;
  onTold: (told: Told) => void;
  /** It is live from here on: what was read before may be older. */
  onLive?: () => void;
}>;

/** Follows a stream while the page can be seen. A stream that is refused for good tells why, and is not asked again. */
export const useStream = <Told>({ on = true, of, open, onTold, onLive }: Options<Told>): Readonly<{ state: StreamState; error: unknown }> => {
  const visible = useVisible();
  const [state, setState] = useState<StreamState>('connecting');
  const [error, setError] = useState<unknown>();
  const follow = useEffectEvent(async (signal: AbortSignal): Promise<void> => {
    let live = false;
    const arrived = (): void => {
      if (signal.aborted) return;
      setState('live');
      if (!live) onLive?.();
      live = true;
    };
    try {
      for await (const told of open({ signal, onPosition: arrived, onReconnect: () => signal.aborted || setState('reconnecting') })) {
        if (signal.aborted) return;
        arrived();
        onTold(told);
      }
    } catch (reason) {
      if (signal.aborted) return;
      setError(reason);
      setState('off');
    }
  });
  useEffect(() => {
    if (!on || !visible) return undefined;
    const controller = new AbortController();
    void follow(controller.signal);
    return () => {
      controller.abort();
      setState('connecting');
      setError(undefined);
    };
  }, [on, visible, of]);
  return { state: on && visible ? state : 'off', error };
};
