import type { Kubectl } from "../../scripts/kubectl.ts"

/**
 * What kubectl prints otherwise than in the stories, which its current release tells. All of it is of its own making;
 * what the server says is the same for all.
 */

/** What a release prints since it does so, and what the ones before it print there. */
const changes: ReadonlyArray<{ readonly since: number; readonly now: RegExp; readonly before: string }> = [
  { since: 34, now: /( deleted) from \S+ namespace/g, before: "$1" },
  { since: 35, now: /\b(kubelet +)spec\.containers\{[^}]+\}: /g, before: "$1" },
  { since: 35, now: /\bkyaml,/g, before: "" },
  {
    since: 35,
    now: /(\/nobody --replicas=1\n! )Error from server \(NotFound\): /g,
    before: "$1error: no objects passed to scale "
  },
  { since: 36, now: /( is not valid for pod \S+) out of: .*/g, before: "$1" },
  { since: 36, now: /^! error: unable to upgrade connection: pod/gm, before: "! Error from server: pod" },
  { since: 36, now: /(error upgrading connection: )unable to upgrade connection: /g, before: "$1" },
  { since: 36, now: /(due to error: |^! )(cannot delete )Pods/gm, before: "$1$2$2Pods" }
]

/** Lines that only some releases print. */
const passing: ReadonlyArray<RegExp> = [
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

const isPassing = (line: string): boolean => passing.some((shape) => shape.test(line))

/** The same for every release: two texts with the same to say become one. */
export const regardless = ({ minor }: Kubectl, story: string): string => {
  let told = story
  for (const { since, now, before } of changes) if (minor < since) told = told.replaceAll(now, before)
  return told
    .split("\n")
    .filter((line) => !isPassing(line))
    .join("\n")
}

/** The release that tells the stories as they stand. */
export const teller = 36
