//! Values on their way to the server and back.

use std::error::Error;

use bytes::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::store::database::{DatabaseRow, SqlValue, StoreError};

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => match *of {
                Type::INT2 => i16::try_from(*number)?.to_sql(of, out),
                Type::INT4 => i32::try_from(*number)?.to_sql(of, out),
                Type::INT8 => number.to_sql(of, out),
                _ => Err(format!("a number for a column of {of}").into()),
            },
            Self::Text(text) if <&str as ToSql>::accepts(of) => text.as_str().to_sql(of, out),
            Self::Bytes(bytes) if <&[u8] as ToSql>::accepts(of) => bytes.as_slice().to_sql(of, out),
            Self::Text(_) => Err(format!("a text for a column of {of}").into()),
            Self::Bytes(_) => Err(format!("bytes for a column of {of}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        // Which value fits which type is seen when both are there.
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for SqlValue {
    fn from_sql(of: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *of {
            Type::INT2 => Self::Integer(i16::from_sql(of, raw)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(of, raw)?),
            Type::BOOL => Self::Integer(bool::from_sql(of, raw)?.into()),
            Type::BYTEA => Self::Bytes(raw.to_vec()),
            _ => Self::Text(<&str>::from_sql(of, raw)?.to_owned()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::INT2 | Type::INT4 | Type::INT8 | Type::BOOL | Type::BYTEA)
            || <&str as FromSql<'_>>::accepts(of)
    }
}

/// A row of a result.
pub(super) fn row(row: &postgres::Row) -> Result<DatabaseRow, StoreError> {
    let wrong = |column| StoreError::Damaged { column, wanted: "number, text or bytes" };
    let value = |column| row.try_get::<_, SqlValue>(column).map_err(|_| wrong(column));
    Ok(DatabaseRow((0..row.len()).map(value).collect::<Result<_, _>>()?))
}
