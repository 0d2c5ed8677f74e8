import { countText } from "../../kubernetes/meta/text/countText.ts"
import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import type { KubeObject, PodTemplate } from "../../kubernetes/meta/objects.ts"

interface TemplatedSpec {
  readonly replicas?: number
  readonly paused?: boolean
  readonly suspend?: boolean
  readonly template?: PodTemplate
}

const specOf = (object: KubeObject): TemplatedSpec => (object as { readonly spec?: TemplatedSpec }).spec ?? {}

export const imagesIn = (object: KubeObject): string => {
  const { template } = specOf(object)
  return template === undefined ? "" : imagesText({ spec: { template } })
}

/** The sentences are in the past tense; none for a changed status. */
export const changeSentences = (
  before: KubeObject,
  after: KubeObject,
  /** Images that the workload had until now, the oldest first. */
  earlierImages: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (before === after) return []
  const [old, next] = [specOf(before), specOf(after)]
  const sentences: Array<string> = []
  const images = imagesIn(after)
  if (images !== imagesIn(before))
    sentences.push(
      earlierImages.includes(images)
        ? `its image went back to ${images}`
        : `its image changed from ${imagesIn(before)} to ${images}`
    )
  else if (JSON.stringify(old.template) !== JSON.stringify(next.template))
    sentences.push("its Pod template changed")
  if (old.replicas !== next.replicas && next.replicas !== undefined)
    sentences.push(`it was scaled from ${old.replicas ?? 1} to ${next.replicas}`)
  if ((old.paused ?? false) !== (next.paused ?? false))
    sentences.push(next.paused === true ? "it was paused" : "it was resumed")
  if ((old.suspend ?? false) !== (next.suspend ?? false))
    sentences.push(next.suspend === true ? "it was suspended" : "it was resumed")
  return sentences
}

export const createdSentence = (workload: KubeObject): string => {
  const { replicas } = specOf(workload)
  const images = imagesIn(workload)
  const size = replicas === undefined ? "" : ` with ${countText(replicas, "Pod")}`
  return `it was created${size}${images === "" ? "" : `${replicas === undefined ? " with" : " of"} ${images}`}`
}
