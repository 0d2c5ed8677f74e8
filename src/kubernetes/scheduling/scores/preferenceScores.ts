import { withTag } from "../../pods/containers/images.ts"
import { tolerates } from "../../core/taints.ts"
import { matchesNodeTerm } from "../../meta/selectors/nodeSelectorTerms.ts"
import { normalizeScores, scoreMax } from "./normalizeScores.ts"
import type { Node } from "../../meta/objects.ts"
import type { NodeScorer } from "./nodeScorer.ts"

/** Source: taint_toleration.go (Score). */
export const taintScores: NodeScorer = ({ spec }, fitting) => {
  const countUntoleratedTaints = ({ spec: { taints = [] } }: Node): number =>
    taints.filter(
      (taint) =>
        taint.effect === "PreferNoSchedule" && !(spec.tolerations ?? []).some((it) => tolerates(it, taint))
    ).length
  return normalizeScores(fitting.map(countUntoleratedTaints), { lowIsGood: true })
}

/** Source: node_affinity.go (Score). */
export const nodeAffinityScores: NodeScorer = ({ spec }, fitting) => {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  if (preferred === undefined) return undefined
  const weightOf = (node: Node): number =>
    preferred.reduce(
      (sum, { preference, weight }) => sum + (matchesNodeTerm(preference, node) ? weight : 0),
      0
    )
  return normalizeScores(fitting.map(weightOf))
}

const mebibyte = 1024 * 1024
/** Upstream's thresholds: smaller images do not count, larger ones count no more. */
const smallImageBytes = 23 * mebibyte
const largeImageBytes = 1000 * mebibyte

/** Source: image_locality.go. */
export const imageScores: NodeScorer = ({ spec }, fitting, { nodes }) => {
  if (!fitting.some(({ status }) => (status.images?.length ?? 0) > 0)) return undefined
  const containers = [...(spec.initContainers ?? []), ...spec.containers]
  const images = containers.map(({ image = "" }) => {
    const name = withTag(image)
    return { name, nodeShare: nodes.filter((node) => sizeOf(node, name) !== undefined).length / nodes.length }
  })
  const imageBytesMax = largeImageBytes * containers.length
  return fitting.map((node) => {
    const bytes = images.reduce(
      (sum, { name, nodeShare }) => sum + Math.trunc((sizeOf(node, name) ?? 0) * nodeShare),
      0
    )
    const boundedBytes = Math.min(imageBytesMax, Math.max(smallImageBytes, bytes))
    return Math.trunc((scoreMax * (boundedBytes - smallImageBytes)) / (imageBytesMax - smallImageBytes))
  })
}

const sizeOf = ({ status }: Node, image: string): number | undefined =>
  status.images?.find(({ names }) => names?.includes(image) === true)?.sizeBytes
