import type { Kubectl } from "../../scripts/kubectl.ts"

/**
 * Differences between the output of older releases of kubectl and the stories, which have the output of the newest.
 */

/** Output since a release, and what earlier releases print in its place. */
const changes: ReadonlyArray<{ readonly since: number; readonly now: RegExp; readonly before: string }> = [
  { since: 34, now: /( deleted) from \S+ namespace/g, before: "$1" },
  { since: 35, now: /\b(kubelet +)spec\.containers\{[^}]+\}: /g, before: "$1" },
  { since: 35, now: /\bkyaml,/g, before: "" },
  {
    since: 35,
    now: /(\/absent --replicas=1\n! )Error from server \(NotFound\): /g,
    before: "$1error: no objects passed to scale "
  },
  { since: 36, now: /( is not valid for pod \S+) out of: .*/g, before: "$1" },
  { since: 36, now: /^! error: unable to upgrade connection: pod/gm, before: "! Error from server: pod" },
  { since: 36, now: /(error upgrading connection: )unable to upgrade connection: /g, before: "$1" },
  { since: 36, now: /(due to error: |^! )(cannot delete )Pods/gm, before: "$1$2$2Pods" }
]

/** Lines that only some releases print. */
const releaseSpecificLines: ReadonlyArray<RegExp> = [
  /^! Warning: resource \S+ was previously managed with 'kubectl apply'/,
  /^! Warning: version difference between client/i,
  /^! Flag --cpu-percent has been deprecated/,
  /^! All commands and output from this session will be recorded/,
  /^! --profile=legacy is deprecated/,
  /^(Client|Kustomize) Version: /,
  /^ +"(emulation|minCompatibility)M\w+": /,
  /^ +Kube-Proxy Version: /,
  /^ +creationTimestamp: null$/,
  /^ +terminatingReplicas: /,
  /^(Mountable secrets|Tokens): +<none>$/,
  /^preferences: \{\}$/
]

const isReleaseSpecific = (line: string): boolean => releaseSpecificLines.some((shape) => shape.test(line))

/** The text with the differences between releases removed. */
export const withoutReleaseDifferences = ({ minor }: Kubectl, story: string): string => {
  let text = story
  for (const { since, now, before } of changes) if (minor < since) text = text.replaceAll(now, before)
  return text
    .split("\n")
    .filter((line) => !isReleaseSpecific(line))
    .join("\n")
}

/** The minor release whose output the stories hold. */
export const goldenMinor = 36
