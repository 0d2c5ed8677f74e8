import { apiVersionOf, storedKinds } from "../../src/kubernetes/meta/kinds.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import type { Kind } from "../../src/kubernetes/meta/kinds.ts"
import type { Annotations, KubeObject, Labels } from "../../src/kubernetes/meta/objects.ts"

export const startMillis = Date.UTC(2026, 0, 1)

/** The moment so many seconds after the tests' world began. */
export const aTime = (seconds: number): string => timestampOf(startMillis + seconds * 1000)

/** Whether an object says of an owner that it alone manages it. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid

/** Metadata of a stored object. */
export interface ObjectOptions {
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
  /** Seconds after the start. */
  readonly created?: number
  readonly generation?: number
  readonly finalizers?: ReadonlyArray<string>
  /** Being deleted since the start. */
  readonly terminating?: boolean
}

export const metadataOf = (
  options: ObjectOptions,
  defaults: { readonly name: string; readonly labels: Labels }
) => {
  const name = options.name ?? defaults.name
  return {
    name,
    namespace: options.namespace ?? "shop",
    uid: options.uid ?? `uid-${name}`,
    resourceVersion: "7",
    creationTimestamp: aTime(options.created ?? 0),
    generation: options.generation ?? 1,
    labels: options.labels ?? defaults.labels,
    ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
    ...(options.terminating === true ? { deletionTimestamp: aTime(0), deletionGracePeriodSeconds: 0 } : {})
  }
}

/** An object of any kind as the store holds it, with these fields. */
export const anObject = <Fields extends object>(
  kind: string,
  options: ObjectOptions & { readonly name: string },
  fields: Fields
): KubeObject & Fields => ({
  apiVersion: apiVersionOf(kindNamed(kind)),
  kind,
  metadata: metadataOf(options, { name: options.name, labels: { app: "web" } }),
  ...fields
})

export const kindNamed = (name: string): Kind => {
  const kind = storedKinds.find((it) => it.kind === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return kind
}
