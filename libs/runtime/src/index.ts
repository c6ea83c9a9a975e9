export { Buses } from './bus/buses.ts';
export { feature, type Feature, type FeatureParts, type Now, type Offers, type OnFault, type Task } from './feature.ts';
