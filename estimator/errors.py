"""The root of the error tree, and what the estimator raises.

Imports nothing, so that every layer can import the root from here without loading NumPy or SciPy.

CredenceError
├── EstimatorError                  votes or parameters that no estimate can be made of
├── AnsweringError                  answering/errors.py
│   ├── BadParameter
│   ├── DebateError
│   │   ├── MissingService
│   │   └── UnexpectedReplies
│   ├── ModelDamaged
│   ├── ModelError
│   │   ├── BudgetSpent
│   │   ├── ModelRefused
│   │   ├── ModelUnavailable
│   │   │   ├── ModelRateLimited
│   │   │   ├── ModelTimeout
│   │   │   └── ReaderLost          registry/readings/service.py
│   │   └── UnreadableReply
│   └── UnexpectedReadings
├── RegistryError                   registry/platform/errors.py
│   ├── BackupFailed                registry/platform/database/backup.py
│   ├── Conflict
│   │   └── KeyInUse                registry/platform/database/idempotency.py
│   ├── DemoRejected                api/demo/load.py
│   ├── EstimationInterrupted       api/cli/following.py
│   ├── FetchFailed
│   │   ├── NothingThere
│   │   └── Unreadable
│   ├── Forbidden
│   ├── ImportTooLarge
│   ├── InvalidInput
│   │   └── KeyReused               registry/platform/database/idempotency.py
│   ├── NextcloudFailed             api/client/nextcloud.py
│   ├── NotFound
│   │   └── RevisionNotKept
│   ├── OtherVersion                api/cli/connection.py
│   ├── QuotaExceeded
│   ├── ServiceRefused              api/cli/connection.py
│   │   └── ServiceFailed
│   ├── SettingsError
│   ├── TooManyRequests
│   │   └── DailyLimitReached
│   ├── Unauthenticated
│   ├── Unavailable
│   │   ├── DatabaseUnavailable
│   │   ├── DueLater
│   │   ├── Overloaded
│   │   ├── SchemaOutdated
│   │   └── TooSlow
│   └── WorkEnded                   api/cli/following.py
└── ApiError                        api/http/errors.py
    ├── BodyTooLarge
    ├── BrokenBody
    ├── StaleForm
    └── UnsupportedMediaType
"""

DISTRIBUTION = "credence-registry"
"""Our name on the package index, where `credence` is another project."""


def installing(extra: str) -> str:
    """The command that adds what an extra of `pyproject.toml` needs, for the text of an error."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


class CredenceError(Exception):
    """Base class of every error that Credence raises on purpose; its text tells a person what to do."""

    @property
    def log_text(self) -> str:
        """The text without what may stand in a document, a question or a reply of a model."""
        return str(self)


class EstimatorError(CredenceError, ValueError):
    """Votes or parameters that no estimate can be made of."""
