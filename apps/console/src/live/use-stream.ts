import { useEffect, useEffectEvent, useState } from 'react';
import type { FollowOptions } from '@palimpsest/client';
import { useVisible } from './use-visible.ts';

export type StreamState = 'off' | 'connecting' | 'live' | 'reconnecting';
type Open<Item> = (options: FollowOptions) => AsyncIterable<Item>;
type Options<Item> = Readonly<{
  on?: boolean;
  /** Identifies the stream; a change of this key starts another one. */
  of: string;
  open: Open<Item>;
  onItem: (item: Item) => void;
  /** Called when the stream is connected. Data that was read before may be older. */
  onLive?: () => void;
}>;

/** Follows a stream while the page is visible. A stream that the server refuses reports the error and is not retried. */
export const useStream = <Item>({
  on = true,
  of,
  open,
  onItem,
  onLive,
}: Options<Item>): Readonly<{ state: StreamState; error: unknown }> => {
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
      for await (const item of open({ signal, onPosition: arrived, onReconnect: () => signal.aborted || setState('reconnecting') })) {
        if (signal.aborted) return;
        arrived();
        onItem(item);
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
