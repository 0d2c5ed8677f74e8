import { certificateDefault } from "../../domain/namedByPods.ts"
import { containersOf, podSpecOf } from "./podSpecs.ts"
import { isOf } from "./documentKeys.ts"
import { madeIn, textOf } from "./takenToStand.ts"
import { ownerTextOf } from "./bringUp.ts"
import { resources } from "../../domain/kinds.ts"
import { shownName } from "../../domain/shownName.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Draft } from "../../domain/objects.ts"
import type { Running } from "./bringUp.ts"
import type { Needed } from "./takenToStand.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** Whoever has none of the name goes on without it where it is optional. */
interface Source {
  readonly name?: string
  readonly optional?: boolean
}

/** What runs before, and what is known of it where a cluster was asked. */
interface Before {
  readonly from: Documents
  readonly running: Running | undefined
}

/**
 * A sentence for each Deployment whose containers wait for ConfigMaps and Secrets that no file makes. Those that what
 * runs before needs as well are there: it runs.
 *
 * Source: pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/volume (configmap, secret, projected).
 */
export const takenSources = (next: Documents, before: Before): ReadonlyArray<string> => {
  const { from } = before
  const there = new Set(
    [...madeIn([...from, ...next]), ...available(before).flatMap(({ draft }) => sourcesOf(draft))].map(textOf)
  )
  return next.filter(isOf(resources.deployments)).flatMap(({ draft }) => {
    const missing = sourcesOf(draft).filter((source) => !there.has(textOf(source)))
    const names = [...new Set(missing.map(({ resource, name }) => `${kindNames[resource]}/${name}`))]
    if (names.length === 0) return []
    const shown = shownName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    const taken = names.length === 1 ? "it is" : "they are"
    return [`Deployment/${shown} needs ${names.join(", ")}, which no file makes: ${taken} taken to be there`]
  })
}

/** Of a cluster only what has Pods that are available is known to have what it needs, each revision by itself. */
const available = ({ from, running }: Before): Documents => {
  if (running === undefined) return from
  const revisions = from.filter(isOf(resources.replicaSets))
  return (revisions.length === 0 ? from : revisions).filter(
    (document) => (running.available[ownerTextOf(document)] ?? 0) > 0
  )
}

const kindNames: Readonly<Record<string, string>> = {
  [resources.configMaps]: "ConfigMap",
  [resources.secrets]: "Secret"
}

/** What the containers of an object's Pods wait for. */
const sourcesOf = (draft: Draft): ReadonlyArray<Needed> => {
  const spec = podSpecOf(draft) ?? {}
  const projected = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? [])
  const containers = containersOf(spec)
  const values = containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom ?? []))
  const wholes = containers.flatMap(({ envFrom = [] }) => envFrom)
  const volumes = spec.volumes ?? []
  const namespace = draft.metadata.namespace
  const needed = (resource: string, sources: ReadonlyArray<Source | undefined>): ReadonlyArray<Needed> =>
    sources.flatMap(({ name = "", optional = false } = {}) =>
      optional || name === "" || name === certificateDefault ? [] : [{ resource, namespace, name }]
    )
  return [
    ...needed(resources.configMaps, [
      ...wholes.map(({ configMapRef }) => configMapRef),
      ...values.map(({ configMapKeyRef }) => configMapKeyRef),
      ...[...volumes, ...projected].map(({ configMap }) => configMap)
    ]),
    ...needed(resources.secrets, [
      ...wholes.map(({ secretRef }) => secretRef),
      ...values.map(({ secretKeyRef }) => secretKeyRef),
      ...volumes.map(({ secret }) => secret && namedSecret(secret)),
      ...projected.map(({ secret }) => secret)
    ])
  ]
}

/** A volume of a Secret has another word for its name. */
const namedSecret = ({ secretName = "", optional = false }: Core.SecretVolumeSource): Source => ({
  name: secretName,
  optional
})
