import { withActuatedResources } from "../../pods/podResize.ts"
import { validateEphemeralUpdate } from "./validateEphemeralContainers.ts"
import { withResizedResources, validateResize } from "./validateResize.ts"
import type { Draft, KubeObject, Pod } from "../../meta/objects.ts"
import type { FieldErrors } from "../../validation/fieldErrors.ts"
import type { PodDraft } from "./validatePod.ts"

/** Subresources that write one part of a Pod's spec. Source: pkg/registry/core/pod/strategy.go. */
export type PodSubresource = "ephemeralcontainers" | "resize"

interface SubresourceRules {
  readonly withWrittenPart: (draft: PodDraft, old: PodDraft) => PodDraft
  readonly validate: (pod: PodDraft, old: PodDraft) => FieldErrors
}

const rules: Readonly<Record<PodSubresource, SubresourceRules>> = {
  ephemeralcontainers: {
    withWrittenPart: (draft, old) => ({
      ...old,
      spec: withEphemeralContainers(old.spec ?? {}, draft.spec?.ephemeralContainers)
    }),
    validate: (pod, old) => validateEphemeralUpdate(pod.spec ?? {}, old.spec ?? {})
  },
  resize: {
    withWrittenPart: (draft, old) => ({
      ...old,
      spec: withResizedResources(draft.spec ?? {}, old.spec ?? {})
    }),
    validate: (pod, old) => validateResize(pod.spec ?? {}, old.spec ?? {})
  }
}

type SpecDraft = NonNullable<PodDraft["spec"]>

const withEphemeralContainers = (
  spec: SpecDraft,
  ephemeralContainers: SpecDraft["ephemeralContainers"]
): SpecDraft => {
  const { ephemeralContainers: _before, ...others } = spec
  return ephemeralContainers === undefined ? others : { ...others, ephemeralContainers }
}

export const podSubresourceOf = (subresource: string | undefined): PodSubresource | undefined =>
  subresource === "ephemeralcontainers" || subresource === "resize" ? subresource : undefined

/** Takes only the subresource's part and the managed fields from the draft, or all if there is no subresource. */
export const withWrittenSubresource = (
  subresource: PodSubresource | undefined,
  draft: Draft,
  old: Draft
): Draft => {
  if (subresource === undefined) return draft
  const { managedFields: _stored, ...metadata } = old.metadata
  const { managedFields } = draft.metadata
  return {
    ...rules[subresource].withWrittenPart(draft, old),
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) }
  }
}

export const validateSubresourceUpdate = (subresource: PodSubresource, pod: Draft, old: Draft): FieldErrors =>
  rules[subresource].validate(pod, old)

/**
 * The status of a resized Pod has the resources of its containers; before the first resize they are
 * added here.
 */
export const withReportedResources = (subresource: PodSubresource | undefined, old: KubeObject): KubeObject =>
  subresource === "resize" ? withActuatedResources(old as Pod) : old
