import { describeApp, unusable } from '@palimpsest/host';
import type { Feature } from '@palimpsest/runtime';
import { createPlatform, type PortsOf } from './create-platform.ts';

type AnyFeature = Feature<never>;

/** The OpenAPI document of these features, on placeholders of their ports. */
export const describePlatform = <const Features extends readonly AnyFeature[]>(features: Features, settings: PortsOf<Features>['settings']) =>
  describeApp(createPlatform(features, placeholders<PortsOf<Features>>(settings)));

const placeholders = <Ports extends object>(settings: unknown): Ports => new Proxy({}, { get: (_, name) => (name === 'settings' ? settings : unusable(String(name))), ownKeys: () => [] }) as Ports;
