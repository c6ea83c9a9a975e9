import 'reflect-metadata';
import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import type { RouteContract } from '@palimpsest/contracts/http';
import { contractsOf } from '@palimpsest/runtime';

/** A placeholder for a dependency that modules only store while they are assembled. Every call of a method throws. */
export const unusable = <T>(name: string): T =>
  new Proxy(
    {},
    {
      get: (_, member) => {
        if (member === 'then') return undefined;
        return () => {
          throw new Error(`${name}.${String(member)} was called on a placeholder`);
        };
      },
    },
  ) as T;

type Import = Type | DynamicModule | Promise<DynamicModule> | ForwardReference;

const declared = <Item>(module: Type, name: 'imports' | 'controllers'): readonly Item[] =>
  (Reflect.getMetadata(name, module) ?? []) as readonly Item[];

const controllersOf = (given: Import): readonly Type[] => {
  if (typeof given === 'function')
    return [...declared<Type>(given, 'controllers'), ...declared<Import>(given, 'imports').flatMap(controllersOf)];
  if (!('module' in given)) throw new Error('a module that is only known later cannot be described');
  const { module, controllers = [], imports = [] } = given;
  return [...controllersOf(module), ...controllers, ...imports.flatMap((each) => controllersOf(each as Import))];
};

/** The contracts of the routes that a module serves. Nothing is started, so its ports may be placeholders. */
export const servedRoutes = (module: DynamicModule): readonly RouteContract[] => [...new Set(controllersOf(module))].flatMap(contractsOf);
