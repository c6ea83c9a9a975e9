import type { RouteContract } from '@palimpsest/contracts/http';
import { unusable } from './unusable.ts';
import { contractsOf } from '@palimpsest/http';
import type { Feature } from '@palimpsest/runtime';
import { createPlatform, type PortsOf } from './create-platform.ts';

type AnyFeature = Feature<never>;

/** The contracts of the routes that these features serve. They are put together on placeholders of their ports. */
export const servedRoutes = <const Features extends readonly AnyFeature[]>(
  features: Features,
  settings: PortsOf<Features>['settings'],
): readonly RouteContract[] => createPlatform(features, placeholders<PortsOf<Features>>(settings)).routes.flatMap(contractsOf);

const placeholders = <Ports extends object>(settings: unknown): Ports =>
  new Proxy({}, { get: (_, name) => (name === 'settings' ? settings : unusable(String(name))), ownKeys: () => [] }) as Ports;
