import type { KubeObject } from "./objects.ts"

/** Orders the oldest first, then by name, since creation times are in whole seconds. */
export const compareByCreation = (a: KubeObject, b: KubeObject): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp
    ? -1
    : a.metadata.creationTimestamp > b.metadata.creationTimestamp
      ? 1
      : compareByName(a, b)

export const compareByName = (a: KubeObject, b: KubeObject): number =>
  a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0
