import { controllerReference } from "../../meta/ownerReferences.ts"
import { compareByCreation } from "../../meta/objectOrder.ts"
import { isSameTemplate, templateHash } from "../revisions/podTemplates.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Draft, KubeObject, PodTemplate } from "../../meta/objects.ts"

/** Source: pkg/controller/history/controller_history.go. */
export interface ControllerRevision extends KubeObject {
  readonly revision: number
  readonly data?: RevisionData
}

/** A strategic merge patch of the owner; `$patch` makes the patch replace the whole template. */
export interface RevisionData {
  readonly spec?: { readonly template?: PodTemplate & { readonly $patch?: "replace" } }
}

export type ControllerRevisionDraft = Draft & Pick<ControllerRevision, "revision" | "data">

export const controllerHashLabel = "controller.kubernetes.io/hash"
export const podRevisionLabel = "controller-revision-hash"

/** The value of the label `controller-revision-hash` of Pods of this revision. */
export const podRevisionOf = (ownerKind: string, { metadata }: ControllerRevision): string =>
  ownerKind === "StatefulSet" ? metadata.name : (metadata.labels?.[podRevisionLabel] ?? "")

export type RevisionOwner = KubeObject & {
  readonly spec: { readonly template: PodTemplate; readonly selector: LabelSelector }
  readonly status: { readonly collisionCount?: number }
}

export const sortRevisions = (
  revisions: ReadonlyArray<ControllerRevision>
): ReadonlyArray<ControllerRevision> =>
  [...revisions].sort((a, b) => a.revision - b.revision || compareByCreation(a, b))

export const templateOfRevision = ({ data }: Pick<ControllerRevision, "data">): PodTemplate | undefined => {
  const template = data?.spec?.template
  if (template === undefined) return undefined
  const { $patch: _patch, ...rest } = template
  return rest
}

export const recordsTemplate = (
  revision: Pick<ControllerRevision, "data">,
  template: PodTemplate
): boolean => {
  const recorded = templateOfRevision(revision)
  return recorded !== undefined && isSameTemplate(recorded, template)
}

/** How the present template gets the ControllerRevision with the highest number. */
export type TemplateRecord =
  | { readonly type: "recorded"; readonly revision: ControllerRevision }
  | { readonly type: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | {
      readonly type: "create"
      readonly draft: ControllerRevisionDraft
      readonly collisionCount: number | undefined
    }

/**
 * `revisions`: lowest number first. `findNamesake` finds a revision of any owner by name: if it has another template,
 * `collisionCount` rises.
 */
export const planTemplateRecord = (
  owner: RevisionOwner,
  revisions: ReadonlyArray<ControllerRevision>,
  findNamesake: (name: string) => ControllerRevision | undefined
): TemplateRecord => {
  const { template } = owner.spec
  const latest = revisions.at(-1)
  const number = latest === undefined ? 1 : latest.revision + 1
  const ofSameTemplate = revisions.filter((revision) => recordsTemplate(revision, template)).at(-1)
  if (ofSameTemplate !== undefined)
    return ofSameTemplate === latest
      ? { type: "recorded", revision: ofSameTemplate }
      : { type: "renumber", revision: ofSameTemplate, number }
  let { collisionCount } = owner.status
  for (;;) {
    const draft = draftRevision(owner, number, collisionCount)
    const namesake = findNamesake(draft.metadata.name ?? "")
    if (namesake === undefined) return { type: "create", draft, collisionCount }
    if (recordsTemplate(namesake, template)) return { type: "recorded", revision: namesake }
    collisionCount = (collisionCount ?? 0) + 1
  }
}

const hashLabelOf = ({ kind }: KubeObject): string =>
  kind === "DaemonSet" ? podRevisionLabel : controllerHashLabel

/** Upstream's limit: the hash needs room in the 253 characters of a name. */
const ownerNameLengthMax = 223

const draftRevision = (
  owner: RevisionOwner,
  revision: number,
  collisionCount: number | undefined
): ControllerRevisionDraft => {
  const { template } = owner.spec
  const { name, namespace, annotations } = owner.metadata
  const hash = templateHash(template, collisionCount)
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name.slice(0, ownerNameLengthMax)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, [hashLabelOf(owner)]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)]
    },
    data: { spec: { template: { ...template, $patch: "replace" } } },
    revision
  }
}

/** The oldest revisions beyond the limit, except those in use. */
export const surplusRevisions = (
  revisions: ReadonlyArray<ControllerRevision>,
  limit: number,
  isInUse: (name: string) => boolean
): ReadonlyArray<ControllerRevision> => {
  const unused = revisions.filter(({ metadata }) => !isInUse(metadata.name))
  return unused.slice(0, Math.max(0, unused.length - limit))
}
