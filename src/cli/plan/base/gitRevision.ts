import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import { BadInput, badInput } from "../../input/badInput.ts"
import { runForOutput } from "../../input/programs.ts"
import type { ProgramFailed } from "../../input/programs.ts"
import type { Scope } from "effect/Scope"

export interface GitRevision {
  /** The name that the user gave, such as `main`. */
  readonly ref: string
  readonly commit: string
  /** The top of the working tree. */
  readonly topFolder: string
}

/** The remote whose branches are used if there is no local one: CI fetches branches without creating them. */
const remote = "origin"

export const findRevision = Effect.fnUntraced(function* (
  flag: string,
  ref: string
): Effect.fn.Return<GitRevision, BadInput> {
  const topFolder = yield* git(["rev-parse", "--show-toplevel"]).pipe(Effect.mapError(toBadInput(flag, ref)))
  const commit = yield* commitOf(ref).pipe(
    Effect.catchTag("ProgramFailed", () => commitOf(`${remote}/${ref}`)),
    Effect.mapError(() =>
      badInput(
        `${flag} ${ref}: the repository has no such commit, branch or tag; fetch it first: git fetch ${remote} ${ref}`
      )
    )
  )
  return { ref, commit, topFolder }
})

const commitOf = (ref: string): Effect.Effect<string, ProgramFailed> =>
  git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`])

/**
 * Moves the base to its merge base with `head`: later commits of the base would count as reverted. Without a merge
 * base, as in a shallow clone, the base stays.
 */
export const atMergeBase = (base: GitRevision, head: string): Effect.Effect<GitRevision> =>
  git(["merge-base", base.commit, head]).pipe(
    Effect.map((commit) => ({ ...base, commit })),
    Effect.catchTag("ProgramFailed", () => Effect.succeed(base))
  )

export const isInCommit = ({ commit, topFolder }: GitRevision, path: string): Effect.Effect<boolean> =>
  git(["cat-file", "-e", `${commit}:${path}`], { folder: topFolder }).pipe(
    Effect.as(true),
    Effect.catchTag("ProgramFailed", () => Effect.succeed(false))
  )

/**
 * The earlier paths of renamed files, by their paths in a later commit or in the working tree. Paths start at the top
 * of the repository.
 */
export const renamedFiles = (
  { commit, topFolder }: GitRevision,
  later: GitRevision | undefined
): Effect.Effect<ReadonlyMap<string, string>> => {
  const commits = later === undefined ? [commit] : [commit, later.commit]
  const filters = ["--find-renames", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff"]
  return git(["diff", ...filters, ...commits, "--"], { folder: topFolder }).pipe(
    Effect.map((output) => {
      // Three fields for each file: R with the similarity, the name before, and after.
      const fields = output.split("\0")
      return new Map(
        fields.flatMap((field, index) => (index % 3 === 1 ? [[fields[index + 1] ?? "", field] as const] : []))
      )
    }),
    Effect.catchTag("ProgramFailed", () => Effect.succeed(new Map<string, string>()))
  )
}

/** Writes a commit's files into a temporary folder; the repository and its index stay as they are. */
export const checkOut = ({ ref, commit, topFolder }: GitRevision): Effect.Effect<string, BadInput, Scope> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "charthouse-base-")))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    // A Helm chart in the top folder takes its name from that folder.
    const tree = join(folder, "tree", basename(topFolder))
    yield* Effect.promise(() => mkdir(tree, { recursive: true }))
    const options = { folder: topFolder, variables: { GIT_INDEX_FILE: join(folder, "index") } }
    yield* git(["read-tree", commit], options).pipe(
      Effect.andThen(git(["checkout-index", "--all", "--quiet", `--prefix=${tree}/`], options)),
      Effect.mapError(toBadInput("git", ref))
    )
    return tree
  })

const git = (
  args: ReadonlyArray<string>,
  options: { readonly folder?: string; readonly variables?: Readonly<Record<string, string>> } = {}
): Effect.Effect<string, ProgramFailed> =>
  Effect.map(runForOutput({ program: "git", args, ...options }), (output) => output.trimEnd())

const toBadInput =
  (flag: string, ref: string) =>
  ({ isMissing, lines }: ProgramFailed): BadInput =>
    isMissing
      ? badInput(`${flag} ${ref} needs git, which is not on the PATH`)
      : new BadInput({ lines: [`error: ${flag} ${ref}: git failed`, ...lines] })
