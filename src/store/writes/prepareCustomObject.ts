import type { Fields } from "../../kubernetes/meta/fields.ts"
import { dequal } from "dequal/lite"
import type { CustomResourceVersion } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"

/**
 * `hasStatus`: the version has the subresource `status`.
 * Source: apiextensions-apiserver/pkg/registry/customresource/strategy.go, status_strategy.go.
 */

type SentObject = Draft & { readonly status?: object }

const statusOf = (object: Fields): object => ("status" in object ? { status: object["status"] } : {})

export const prepareCustomCreate = <O extends KubeObject>(
  { hasStatus }: CustomResourceVersion,
  object: O
): O => {
  const metadata = { ...object.metadata, generation: 1 }
  if (!hasStatus) return { ...object, metadata }
  const { status: _status, ...rest }: O & { readonly status?: unknown } = object
  return { ...rest, metadata } as unknown as O
}

export const prepareCustomUpdate = (
  { hasStatus }: CustomResourceVersion,
  old: KubeObject,
  next: SentObject
): { readonly object: SentObject; readonly generation: number } => {
  const { status: _status, ...rest } = next
  const object = hasStatus ? { ...rest, ...statusOf({ ...old }) } : next
  const isChanged = !dequal(contentOf({ ...object }, hasStatus), contentOf({ ...old }, hasStatus))
  return { object, generation: (old.metadata.generation ?? 0) + (isChanged ? 1 : 0) }
}

/** The fields whose changes raise the generation: also the status, unless that is a sub-resource. */
const contentOf = (object: Fields, hasStatus: boolean): Fields => {
  const { metadata: _metadata, status, apiVersion: _version, ...rest } = object
  return hasStatus ? rest : { ...rest, status }
}

export const prepareCustomStatus = (old: KubeObject, next: Fields): KubeObject => {
  const { status: _status, ...rest }: KubeObject & { readonly status?: unknown } = old
  const { managedFields: _before, ...metadata }: ManagedMetadata = old.metadata
  const { managedFields }: ManagedMetadata = (next["metadata"] ?? {}) as ManagedMetadata
  return {
    ...rest,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
    ...statusOf(next)
  }
}

type ManagedMetadata = KubeObject["metadata"] & { readonly managedFields?: unknown }
