import { isFields } from "../domain/fields.ts"
import { lastAppliedAnnotation } from "../domain/threeWayMerge.ts"
import type { Fields } from "../domain/fields.ts"
import type { KubeObject } from "../domain/objects.ts"

/**
 * An object as a recording may have it: without managed fields, the manifest that `kubectl apply` leaves, and what in a
 * container may be secret: the values of its environment and of its probes' headers, and all command lines.
 */
export const slimmed = (object: KubeObject): KubeObject => {
  const { managedFields: _managed, annotations, ...metadata } = object.metadata
  const rest = { ...object, metadata: { ...metadata, ...annotationsOf(annotations) } } as KubeObject
  const { spec } = object as KubeObject & { readonly spec?: unknown }
  if (!isFields(spec)) return rest
  if (object.kind === "Pod") return { ...rest, spec: slimPodSpec(spec) } as KubeObject
  const { template } = spec
  if (!isFields(template) || !isFields(template["spec"])) return rest
  const slimTemplate = { ...template, spec: slimPodSpec(template["spec"]) }
  return { ...rest, spec: { ...spec, template: slimTemplate } } as KubeObject
}

const annotationsOf = (annotations: Readonly<Record<string, string>> | undefined): object => {
  if (annotations === undefined) return {}
  const { [lastAppliedAnnotation]: _, ...kept } = annotations
  return { annotations: kept }
}

const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const
const probes = ["livenessProbe", "readinessProbe", "startupProbe"] as const

const slimPodSpec = (spec: Fields): Fields => {
  const slim: Record<string, unknown> = { ...spec }
  for (const list of containerLists) {
    const containers = slim[list]
    if (Array.isArray(containers)) slim[list] = containers.map(slimContainer)
  }
  return slim
}

const slimContainer = (container: unknown): unknown => {
  if (!isFields(container)) return container
  const { args: _args, command: _command, lifecycle: _lifecycle, env, ...kept } = container
  const slim: Record<string, unknown> = kept
  if (Array.isArray(env)) slim["env"] = env.map(named)
  for (const probe of probes) if (isFields(slim[probe])) slim[probe] = slimProbe(slim[probe])
  return slim
}

/** A variable, or a header, without its value. */
const named = (it: unknown): unknown => (isFields(it) ? { name: it["name"] } : it)

const slimProbe = ({ exec: _exec, ...probe }: Fields): Fields => {
  const { httpGet } = probe
  if (!isFields(httpGet) || !Array.isArray(httpGet["httpHeaders"])) return probe
  return { ...probe, httpGet: { ...httpGet, httpHeaders: httpGet["httpHeaders"].map(named) } }
}
