import {
  isEmptyValue,
  podQuantityFields,
  podQuantityMapFields,
  canonicalQuantityText
} from "../../meta/semanticEquality.ts"
import type { PodTemplate } from "../../meta/objects.ts"

/**
 * Equality decides which ReplicaSet is the new one; the hash only makes a name. Source:
 * deployment_util.go (EqualIgnoreHash),
 * controller_utils.go (ComputeHash).
 */
export const templateHashLabel = "pod-template-hash"

export const isSameTemplate = (a: PodTemplate, b: PodTemplate): boolean =>
  a === b || fingerprint(a) === fingerprint(b)

/** Holds only frozen templates, because these cannot change. */
const fingerprints = new WeakMap<PodTemplate, string>()

const fingerprint = (template: PodTemplate): string => {
  const cached = fingerprints.get(template)
  if (cached !== undefined) return cached
  const text = canonicalText({ metadata: withoutHash(template.metadata ?? {}), spec: template.spec })
  if (Object.isFrozen(template)) fingerprints.set(template, text)
  return text
}

const withoutHash = (metadata: NonNullable<PodTemplate["metadata"]>): PodTemplate["metadata"] => {
  if (metadata.labels?.[templateHashLabel] === undefined) return metadata
  const { [templateHashLabel]: _hash, ...labels } = metadata.labels
  return { ...metadata, labels }
}

const canonicalText = (value: unknown, field = ""): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const hasQuantities = podQuantityMapFields.has(field)
  const parts: Array<string> = []
  for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isEmptyValue(key, item)) continue
    const isQuantity = hasQuantities || podQuantityFields.has(key)
    parts.push(
      `${JSON.stringify(key)}:${isQuantity ? canonicalQuantityText(item) : canonicalText(item, key)}`
    )
  }
  return `{${parts.join(",")}}`
}

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193

const fnvStep = (hash: number, byte: number): number => Math.imul(hash ^ byte, fnvPrime) >>> 0

const safeEncodeAlphabet = "bcdfghjklmnpqrstvwxz2456789"

/**
 * The FNV-32a hash of the canonical form and the collision count. Count 0 and no count differ.
 * Unlike Kubernetes, no dump of Go structs is hashed, so values differ from a real cluster's.
 */
export const templateHash = (template: PodTemplate, collisionCount: number | undefined): string => {
  const cached = hashes.get(template)
  if (cached?.collisionCount === collisionCount && cached !== undefined) return cached.hash
  const hash = computeHash(template, collisionCount)
  if (Object.isFrozen(template)) hashes.set(template, { collisionCount, hash })
  return hash
}

const hashes = new WeakMap<
  PodTemplate,
  { readonly collisionCount: number | undefined; readonly hash: string }
>()

const computeHash = (template: PodTemplate, collisionCount: number | undefined): string => {
  let hash = fnvOffset
  for (const byte of new TextEncoder().encode(fingerprint(template))) hash = fnvStep(hash, byte)
  if (collisionCount !== undefined) {
    for (const shift of [0, 8, 16, 24]) hash = fnvStep(hash, (collisionCount >>> shift) & 0xff)
    // The count is hashed as 64 bits.
    for (let padding = 0; padding < 4; padding += 1) hash = fnvStep(hash, 0)
  }
  return safeEncode(String(hash))
}

/** Source: apimachinery/pkg/util/rand (SafeEncodeString). */
const safeEncode = (digits: string): string =>
  Array.from(digits, (digit) => safeEncodeAlphabet[digit.charCodeAt(0) % safeEncodeAlphabet.length]).join("")
