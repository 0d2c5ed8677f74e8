import { countText } from "../src/kubernetes/meta/text/countText.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import type {
  ControllerRevision,
  TemplateRecord
} from "../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { RevisionCommand } from "../src/kubernetes/apps/controllerRevisions/revisionCommands.ts"

/** Records the present template, for the charts of StatefulSets and DaemonSets. */
export const recordRevision = (templateRecord: TemplateRecord): ReadonlyArray<RevisionCommand> => {
  switch (templateRecord.type) {
    case "create":
      return [{ type: "createRevision", revision: templateRecord.draft }]
    case "renumber": {
      const { revision, number } = templateRecord
      return [{ type: "renumberRevision", child: identityOf(revision), revision: number }]
    }
    case "recorded":
      return []
  }
}

export const dropRevisions = (revisions: ReadonlyArray<ControllerRevision>): ReadonlyArray<RevisionCommand> =>
  revisions.map((revision) => ({ type: "deleteRevision", child: identityOf(revision) }))

/** For guards that ask whether the present template is recorded. */
export const templateRecordText = ({
  revisions,
  templateRecord
}: {
  readonly revisions: ReadonlyArray<ControllerRevision>
  readonly templateRecord: TemplateRecord
}): string => {
  const texts = {
    recorded: "the latest has the present template",
    renumber: "an earlier one has the present template",
    create: "none has the present template"
  }
  return `${countText(revisions.length, "revision")}, ${texts[templateRecord.type]}`
}
