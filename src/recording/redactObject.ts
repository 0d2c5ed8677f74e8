import { isFields } from "../kubernetes/meta/fields.ts"
import { lastAppliedAnnotation } from "../kubernetes/apply/patches/threeWayMerge.ts"
import type { ControllerRevision } from "../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"

/**
 * Removes managed fields, the last-applied annotation, command lines, values of environment variables and probe
 * headers, and templates of ControllerRevisions except for images.
 */
export const redactObject = (object: KubeObject): KubeObject => {
  const { managedFields: _managed, annotations, ...metadata } = object.metadata
  const rest = { ...object, metadata: { ...metadata, ...withoutLastApplied(annotations) } } as KubeObject
  if (object.kind === "ControllerRevision")
    return { ...rest, data: imagesIn(object as ControllerRevision) } as KubeObject
  const { spec } = object as KubeObject & { readonly spec?: unknown }
  if (!isFields(spec)) return rest
  return { ...rest, spec: object.kind === "Pod" ? redactPodSpec(spec) : redactTemplates(spec) } as KubeObject
}

const imagesIn = ({ data }: ControllerRevision): ControllerRevision["data"] => {
  const { containers } = data?.spec?.template?.spec ?? {}
  if (containers === undefined) return {}
  const named = containers.map(({ name, image = "" }) => ({ name, image }))
  return { spec: { template: { spec: { containers: named } } } }
}

const redactTemplates = (spec: Fields): Fields => {
  const { template, jobTemplate } = spec
  if (isFields(jobTemplate) && isFields(jobTemplate["spec"])) {
    const redactedTemplate = { ...jobTemplate, spec: redactTemplates(jobTemplate["spec"]) }
    return { ...spec, jobTemplate: redactedTemplate }
  }
  if (!isFields(template) || !isFields(template["spec"])) return spec
  return { ...spec, template: { ...template, spec: redactPodSpec(template["spec"]) } }
}

const withoutLastApplied = (annotations: Readonly<Record<string, string>> | undefined): object => {
  if (annotations === undefined) return {}
  const { [lastAppliedAnnotation]: _lastApplied, ...rest } = annotations
  return { annotations: rest }
}

const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const
const probes = ["livenessProbe", "readinessProbe", "startupProbe"] as const

const redactPodSpec = (spec: Fields): Fields => {
  const redacted: Record<string, unknown> = { ...spec }
  for (const list of containerLists) {
    const containers = redacted[list]
    if (Array.isArray(containers)) redacted[list] = containers.map(redactContainer)
  }
  return redacted
}

const redactContainer = (container: unknown): unknown => {
  if (!isFields(container)) return container
  const { args: _args, command: _command, lifecycle: _lifecycle, env, ...rest } = container
  const redacted: Record<string, unknown> = rest
  if (Array.isArray(env)) redacted["env"] = env.map(withoutValue)
  for (const probe of probes) if (isFields(redacted[probe])) redacted[probe] = redactProbe(redacted[probe])
  return redacted
}

const withoutValue = (entry: unknown): unknown => (isFields(entry) ? { name: entry["name"] } : entry)

const redactProbe = ({ exec: _exec, ...probe }: Fields): Fields => {
  const { httpGet } = probe
  if (!isFields(httpGet) || !Array.isArray(httpGet["httpHeaders"])) return probe
  return { ...probe, httpGet: { ...httpGet, httpHeaders: httpGet["httpHeaders"].map(withoutValue) } }
}
